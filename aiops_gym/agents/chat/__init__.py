"""A language model as an agent: any server that speaks the chat completions of OpenAI, by plain HTTP.

options.py   what can be set, and where the key comes from
client.py    one completion: retries, back-off, budgets
watch.py     a time-out for all of a request
refusals.py  what it means that there is no completion
answers.py   reading an answer, whole or streamed
history.py   the conversation within a window of tokens
usage.py     what was asked for and what it cost
agent.py     the agent
"""

from aiops_gym.agents.chat.agent import Chat, make
from aiops_gym.agents.chat.client import Client
from aiops_gym.agents.chat.options import Options

__all__ = ["Chat", "Client", "Options", "make"]
