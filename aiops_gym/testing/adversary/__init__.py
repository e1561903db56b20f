"""An adversary of the judge: scripts without a question, masks, and good repairs in unusual spellings."""
