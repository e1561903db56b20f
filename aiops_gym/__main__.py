"""`python -m aiops_gym` is the command `aiops-gym`."""

from aiops_gym.cli import main

if __name__ == "__main__":
    main()
