"""What is said of an incident on the way from the page to the report; what it is worth is the task's to say."""
