"""One symptom a file: `find(facts)` gives what is wrong, and how an engineer would repair it."""
