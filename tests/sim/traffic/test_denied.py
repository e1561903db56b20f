"""Databases that ask who asks, and programs that do not say."""

from thrift_town import Town


def guarded():
    """A town whose database was started again, and asks for a password; `posts` has run all the time."""
    town = Town()
    town.config("db", **{"mongod.conf": "security:\n  authorization: enabled\n"})
    town.stop("db")
    town.start("db")
    town.run(8)
    return town


def test_both_ends_say_that_a_question_was_refused():
    town = guarded()
    assert town.success() == 0.0
    refused = "command find requires authentication"
    assert town.log("posts")[-2].endswith(f"(PostsHandler.h:20:Take) MongoDB error: {refused}")
    told = [line for line in town.log("db") if "Checking authorization failed" in line]
    assert told
    assert all(
        f'"attr":{{"error":{{"code":13,"codeName":"Unauthorized","errmsg":"{refused}"}}}}' in line for line in told
    )
    asked = [line for line in town.log("posts") if "MongoDB error: " in line and refused in line]
    assert len(told) == len(asked)


def test_a_database_that_asks_nobody_refuses_nobody():
    assert not any("authorization" in line for line in Town().log("db"))
