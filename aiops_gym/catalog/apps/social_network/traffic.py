"""What users ask of Social Network, and whom each service asks in turn.

Composing posts is the benchmark's load; reading time lines, logging in, following and media come in small shares, so
that the rest of the application is used too. The milliseconds are the services' own work on one core; names of spans,
sources of log lines and messages are those of the real services.
"""

from __future__ import annotations

from typing import Any

from aiops_gym.types import Json

Call = Any

COMPOSE = "HTTP POST /wrk2-api/post/compose"
READ_HOME = "HTTP GET /wrk2-api/home-timeline/read"
READ_USER = "HTTP GET /wrk2-api/user-timeline/read"
LOGIN = "HTTP POST /api/user/login"
FOLLOW = "HTTP POST /wrk2-api/user/follow"
UPLOAD = "HTTP POST /upload-media"
GET_MEDIA = "HTTP GET /get-media"

ENTRY: Json = {"service": "nginx-thrift", "port": 8080}
MEDIA: Json = {"service": "media-frontend", "port": 8081}
OPERATIONS: tuple[Json, ...] = (
    {"name": "compose", "weight": 0.88, "handler": COMPOSE, **ENTRY},
    {"name": "read home", "weight": 0.05, "handler": READ_HOME, **ENTRY},
    {"name": "read user", "weight": 0.04, "handler": READ_USER, **ENTRY},
    {"name": "login", "weight": 0.005, "handler": LOGIN, **ENTRY},
    {"name": "follow", "weight": 0.005, "handler": FOLLOW, **ENTRY},
    {"name": "upload", "weight": 0.01, "handler": UPLOAD, **MEDIA},
    {"name": "view media", "weight": 0.01, "handler": GET_MEDIA, **MEDIA},
)
REQUESTS = {
    "compose": "username=username_1&user_id=1&text=hello&media_ids=%5B%5D&media_types=%5B%5D&post_type=0",
    "read home": "user_id=1&start=0&stop=10",
    "read user": "user_id=1&start=0&stop=10",
    "login": "username=username_1&password=password_1",
    "follow": "user_name=username_1&followee_name=username_2",
    "view media": "filename=1.png",
}
"""What the benchmark's scripts send along; an upload is a file, which no query holds."""

COMPOSE_POST = "/ComposePostService/ComposePost"
COMPOSE_TEXT = "/TextService/ComposeText"
COMPOSE_CREATOR = "/UserService/ComposeCreatorWithUserId"
COMPOSE_MEDIA = "/MediaService/ComposeMedia"
COMPOSE_ID = "/UniqueIdService/ComposeUniqueId"
COMPOSE_URLS = "/UrlShortenService/ComposeUrls"
COMPOSE_MENTIONS = "/UserMentionService/ComposeUserMentions"
STORE_POST = "/PostStorageService/StorePost"
READ_POSTS = "/PostStorageService/ReadPosts"
WRITE_USER_LINE = "/UserTimelineService/WriteUserTimeline"
READ_USER_LINE = "/UserTimelineService/ReadUserTimeline"
WRITE_HOME_LINE = "/HomeTimelineService/WriteHomeTimeline"
READ_HOME_LINE = "/HomeTimelineService/ReadHomeTimeline"
FOLLOWERS = "/SocialGraphService/GetFollowers"
FOLLOW_NAME = "/SocialGraphService/FollowWithUsername"
USER_ID = "/UserService/GetUserId"
LOG_IN = "/UserService/Login"

CLIENTS = {
    "post-storage-service": "post-storage-client",
    "user-timeline-service": "user-timeline-client",
    "social-graph-service": "social-graph-client",
}
"""Labels of connection pools that are not the callee's name with `-client` behind it."""

STORES = {"mongodb": "mongo", "redis": "redis", "memcached": "memcached"}


def _thrift(to: str, handler: str, span: str, source: str, message: str = "", caught: str = "") -> Json:
    call: Json = {"kind": "thrift", "to": to, "handler": handler, "span": span}
    call["client"] = CLIENTS.get(to, f"{to}-client")
    if message:
        call["log"] = [[source, message]]
    if caught:
        call["caught"] = [[source, caught]]
    return call


def _store(to: str, span: str, ms: float, p: float = 1.0, log: list[list[str]] | None = None, **rest: Any) -> Json:
    call: Json = {"kind": STORES[to.rpartition("-")[2]], "to": to, "span": span, "ms": ms, "p": p, **rest}
    if call["kind"] == "mongo":
        call["database"] = to.removesuffix("-mongodb").replace("post-storage", "post")
    return {**call, "log": log} if log else call


def _redis(to: str, span: str, ms: float, source: str, **rest: Any) -> Json:
    """A call of a Redis: what its library throws is logged, and thrown on."""
    return _store(to, span, ms, log=[[source, "{error}"]], **rest)


def _mongo(to: str, span: str, ms: float, source: str, what: str, p: float = 1.0) -> Json:
    """A call of a database: libmongoc's message in the log, and another for the caller."""
    return _store(to, span, ms, p, [[source, "MongoDB error: {error}"], [source, what]], throws=what)


def _compose_step(to: str, handler: str, name: str, line: int) -> Json:
    helper = "".join(part.capitalize() for part in name.split("_"))
    source = f"ComposePostHandler.h:{line}:_Compose{helper}Helper"
    return _thrift(to, handler, f"compose_{name}_client", source, f"Failed to send compose-{name} to {to}")


def _compose_end(to: str, handler: str, span: str, what: str, line: int) -> Json:
    source = f"ComposePostHandler.h:{line}:_Upload{what.title().replace(' ', '')}Helper"
    verb = "store" if what == "post" else "write"
    return _thrift(to, handler, span, source, f"Failed to {verb} {what} to {to}")


COMPOSE_HANDLER: Json = {
    "ms": 0.5,
    "span": "compose_post_server",
    "calls": [
        [
            _compose_step("text-service", COMPOSE_TEXT, "text", 189),
            _compose_step("user-service", COMPOSE_CREATOR, "creator", 146),
            _compose_step("media-service", COMPOSE_MEDIA, "media", 232),
            _compose_step("unique-id-service", COMPOSE_ID, "unique_id", 274),
        ],
        [
            _compose_end("post-storage-service", STORE_POST, "store_post_client", "post", 312),
            _compose_end("user-timeline-service", WRITE_USER_LINE, "write_user_timeline_client", "user timeline", 349),
            _compose_end("home-timeline-service", WRITE_HOME_LINE, "write_home_timeline_client", "home timeline", 387),
        ],
    ],
}
TEXT_HANDLER: Json = {
    "ms": 0.35,
    "span": "compose_text_server",
    "calls": [
        [
            _thrift(
                "url-shorten-service",
                COMPOSE_URLS,
                "compose_urls_client",
                "TextHandler.h:89:ComposeText",
                "Failed to upload urls to url-shorten-service",
                "Failed to get shortened urls from url-shorten-service",
            ),
            _thrift(
                "user-mention-service",
                COMPOSE_MENTIONS,
                "compose_user_mentions_client",
                "TextHandler.h:124:ComposeText",
                "Failed to upload user_mentions to user-mention-service",
                "Failed to upload user mentions to user-mention-service",
            ),
        ]
    ],
}
URL_HANDLER: Json = {
    "ms": 0.25,
    "span": "compose_urls_server",
    "calls": [
        _mongo(
            "url-shorten-mongodb",
            "url_mongo_insert_client",
            0.9,
            "UrlShortenHandler.h:162:ComposeUrls",
            "Failed to upload shortened urls from MongoDB",
        ),
        _store("url-shorten-memcached", "url_mmc_set_client", 0.15, on_error="ignore"),
    ],
}
MENTION_HANDLER: Json = {
    "ms": 0.2,
    "span": "compose_user_mentions_server",
    "calls": [
        _store("user-memcached", "compose_user_mentions_memcached_get_client", 0.2, on_error="ignore"),
        _mongo(
            "user-mongodb",
            "compose_user_mentions_mongo_find_client",
            0.8,
            "UserMentionHandler.h:187:ComposeUserMentions",
            "Failed to find user from MongoDB",
            p=0.3,
        ),
    ],
}
USER_ID_CALLS: list[Call] = [
    _store("user-memcached", "get_user_id_mmc_get_client", 0.2, on_error="ignore"),
    _mongo(
        "user-mongodb",
        "get_user_id_mongo_find_client",
        0.8,
        "UserHandler.h:742:GetUserId",
        "Failed to find user from MongoDB",
        p=0.4,
    ),
]
USER_HANDLERS: Json = {
    COMPOSE_CREATOR: {"ms": 0.2, "span": "compose_creator_server", "calls": []},
    USER_ID: {"ms": 0.2, "span": "get_user_id_server", "calls": USER_ID_CALLS},
    LOG_IN: {
        "ms": 0.9,
        "span": "login_server",
        "calls": [
            _store("user-memcached", "login_mmc_get_client", 0.2, on_error="ignore"),
            _mongo(
                "user-mongodb", "login_mongo_find_client", 0.8, "UserHandler.h:581:Login", "Failed to find user", p=0.5
            ),
        ],
    },
}
POST_HANDLERS: Json = {
    STORE_POST: {
        "ms": 0.25,
        "span": "store_post_server",
        "calls": [
            _mongo(
                "post-storage-mongodb",
                "post_storage_mongo_insert_client",
                1.0,
                "PostStorageHandler.h:146:StorePost",
                "Failed to insert post to MongoDB",
            )
        ],
    },
    READ_POSTS: {
        "ms": 0.5,
        "span": "read_posts_server",
        "calls": [
            _store("post-storage-memcached", "post_storage_mmc_mget_client", 0.3, on_error="ignore"),
            _mongo(
                "post-storage-mongodb",
                "mongo_find_client",
                1.2,
                "PostStorageHandler.h:402:ReadPosts",
                "Failed to find posts from MongoDB",
                p=0.4,
            ),
        ],
    },
}
POSTS = ("post-storage-service", READ_POSTS, "post_storage_read_posts_client")
USER_LINE_HANDLERS: Json = {
    WRITE_USER_LINE: {
        "ms": 0.2,
        "span": "write_user_timeline_server",
        "calls": [
            _mongo(
                "user-timeline-mongodb",
                "write_user_timeline_mongo_insert_client",
                0.9,
                "UserTimelineHandler.h:127:WriteUserTimeline",
                "Failed to update user-timeline to MongoDB",
            ),
            _redis(
                "user-timeline-redis",
                "write_user_timeline_redis_update_client",
                0.15,
                "UserTimelineHandler.h:159:WriteUserTimeline",
                adds=True,
            ),
        ],
    },
    READ_USER_LINE: {
        "ms": 0.3,
        "span": "read_user_timeline_server",
        "calls": [
            _redis(
                "user-timeline-redis",
                "read_user_timeline_redis_find_client",
                0.15,
                "UserTimelineHandler.h:244:ReadUserTimeline",
            ),
            _mongo(
                "user-timeline-mongodb",
                "user_timeline_mongo_find_client",
                0.9,
                "UserTimelineHandler.h:288:ReadUserTimeline",
                "Failed to find user-timeline from MongoDB",
                p=0.3,
            ),
            _thrift(
                *POSTS,
                "UserTimelineHandler.h:344:ReadUserTimeline",
                "Failed to get posts from post-storage-service",
            ),
        ],
    },
}
HOME_LINE_HANDLERS: Json = {
    WRITE_HOME_LINE: {
        "ms": 0.25,
        "span": "write_home_timeline_server",
        "calls": [
            _thrift(
                "social-graph-service",
                FOLLOWERS,
                "get_followers_client",
                "HomeTimelineHandler.h:96:WriteHomeTimeline",
                "Failed to get followers from social-network-service",
            ),
            _redis(
                "home-timeline-redis",
                "write_home_timeline_redis_update_client",
                0.2,
                "HomeTimelineHandler.h:136:WriteHomeTimeline",
                adds=True,
            ),
        ],
    },
    READ_HOME_LINE: {
        "ms": 0.3,
        "span": "read_home_timeline_server",
        "calls": [
            _redis(
                "home-timeline-redis",
                "read_home_timeline_redis_find_client",
                0.15,
                "HomeTimelineHandler.h:205:ReadHomeTimeline",
            ),
            _thrift(
                *POSTS,
                "HomeTimelineHandler.h:232:ReadHomeTimeline",
                "Failed to read posts from post-storage-service",
            ),
        ],
    },
}
SOCIAL_HANDLERS: Json = {
    FOLLOWERS: {
        "ms": 0.2,
        "span": "get_followers_server",
        "says": [["SocialGraphHandler.h:411:GetFollowers", "user_id: {user} not found", "warning"]],
        "calls": [
            _redis(
                "social-graph-redis", "social_graph_redis_get_client", 0.15, "SocialGraphHandler.h:356:GetFollowers"
            ),
            _mongo(
                "social-graph-mongodb",
                "social_graph_mongo_find_client",
                0.7,
                "SocialGraphHandler.h:386:GetFollowers",
                "Failed to find followers from MongoDB",
            ),
        ],
    },
    FOLLOW_NAME: {
        "ms": 0.3,
        "span": "follow_with_username_server",
        "calls": [
            _thrift(
                "user-service",
                USER_ID,
                "get_user_id_client",
                "SocialGraphHandler.h:618:FollowWithUsername",
                "Failed to get user_id from user-service",
            ),
            _mongo(
                "social-graph-mongodb",
                "social_graph_mongo_update_client",
                1.0,
                "SocialGraphHandler.h:158:Follow",
                "Failed to update social graph for user to MongoDB",
            ),
            _redis(
                "social-graph-redis",
                "social_graph_redis_update_client",
                0.15,
                "SocialGraphHandler.h:184:Follow",
                adds=True,
            ),
        ],
    },
}

HANDLERS: dict[str, Json] = {
    "compose-post-service": {COMPOSE_POST: COMPOSE_HANDLER},
    "home-timeline-service": HOME_LINE_HANDLERS,
    "media-service": {COMPOSE_MEDIA: {"ms": 0.15, "span": "compose_media_server", "calls": []}},
    "post-storage-service": POST_HANDLERS,
    "social-graph-service": SOCIAL_HANDLERS,
    "text-service": {COMPOSE_TEXT: TEXT_HANDLER},
    "unique-id-service": {COMPOSE_ID: {"ms": 0.1, "span": "compose_unique_id_server", "calls": []}},
    "url-shorten-service": {COMPOSE_URLS: URL_HANDLER},
    "user-mention-service": {COMPOSE_MENTIONS: MENTION_HANDLER},
    "user-service": USER_HANDLERS,
    "user-timeline-service": USER_LINE_HANDLERS,
}
"""Of the C++ services."""


def _page(call: Json, path: str, source: str, message: str, **rest: Any) -> Json:
    """A route of the web server: one call of a service, and what the script logs and answers when that fails."""
    return {"ms": 0.4, "span": path, "calls": [{**call, "log": [[source, message]]}], **rest}


PAGES: dict[str, Json] = {
    COMPOSE: _page(
        _thrift("compose-post-service", COMPOSE_POST, "compose_post_client", ""),
        "/wrk2-api/post/compose",
        "compose.lua:62: ComposePost()",
        "compost_post failure: {error}",
        body="Successfully upload post\n",
        needs=["user_id", "username", "post_type", "text"],
    ),
    READ_HOME: _page(
        _thrift("home-timeline-service", READ_HOME_LINE, "read_home_timeline_client", ""),
        "/wrk2-api/home-timeline/read",
        "read.lua:66: ReadHomeTimeline()",
        "Get home-timeline failure: {error}",
        body="{}\n",
        needs=["user_id", "start", "stop"],
    ),
    READ_USER: _page(
        _thrift("user-timeline-service", READ_USER_LINE, "read_user_timeline_client", ""),
        "/wrk2-api/user-timeline/read",
        "read.lua:64: ReadUserTimeline()",
        "Get user-timeline failure: {error}",
        body="{}\n",
        needs=["user_id", "start", "stop"],
    ),
    LOGIN: _page(
        _thrift("user-service", LOG_IN, "login_client", ""),
        "/api/user/login",
        "login.lua:58: Login()",
        "User login failure: {error}",
        needs=["username", "password"],
    ),
    FOLLOW: _page(
        _thrift("social-graph-service", FOLLOW_NAME, "follow_with_username_client", ""),
        "/wrk2-api/user/follow",
        "follow.lua:63: Follow()",
        "Follow Failed: {error}",
        body="Success!",
        needs=["user_name", "followee_name"],
    ),
}
"""Of `nginx-thrift`, by operation."""

MEDIA_PAGES: dict[str, Json] = {
    UPLOAD: {
        "ms": 0.6,
        "span": "/upload-media",
        "calls": [
            {
                **_store("media-mongodb", "", 1.6),
                "log": [["upload-media.lua:71: UploadMedia()", "mongodb insert failure: {error}"]],
            }
        ],
        "body": "{}\n",
    },
    GET_MEDIA: {
        "ms": 0.5,
        "span": "/get-media",
        "calls": [
            {
                **_store("media-memcached", "", 0.3),
                "log": [["get-media.lua:46: GetMedia()", "memcached failure: {error}"]],
            },
            {
                **_store("media-mongodb", "", 1.2, p=0.4),
                "log": [["get-media.lua:63: GetMedia()", "mongodb failure: {error}"]],
            },
        ],
        "needs": ["filename"],
    },
}
"""Of `media-frontend`, by operation."""

UPSTREAMS = {
    "compose-post-service": 9090,
    "home-timeline-service": 9090,
    "social-graph-service": 9090,
    "user-service": 9090,
    "user-timeline-service": 9090,
}
MEDIA_UPSTREAMS = {"media-mongodb": 27017, "media-memcached": 11211}
