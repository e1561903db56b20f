"""Federated learning: a hub, relays that ask it for work, workers that do it, and a lead that hands it out in rounds.

Who talks to whom is read from command lines; what they say is data of the binary (`words`).
"""
