"""The facts of a stack that people and programs ask for, and explanations of each of its parts."""
