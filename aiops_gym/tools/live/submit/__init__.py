"""The form of each task's answer; what an answer is worth is the task's to say."""
