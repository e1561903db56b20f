"""Reviews and an assistant that sums them up, in Python. Flags: a limit of the model's rate, and wrong answers."""

from aiops_gym.catalog.apps.astronomy_shop.words import FLAGD, GRPC, MIB, PRODUCT, ask, fail, post, query, serve

PLACE = "main product_reviews_server.py"
RATE, WRONG = "llmRateLimitError", "llmInaccurateResponse"
UNCAUGHT = "Unknown: Exception calling application: {error}"
LIMITED = (
    "Error code: 429 - {'error': {'message': 'Rate limit reached. Please try again later.', "
    "'type': 'rate_limit_exceeded', 'param': 'null', 'code': 'null'}}"
)


def _asked(method: str, more: str = "") -> list[list[str]]:
    return [[f"{PLACE}:84", f"Receive {method} for product id:{PRODUCT}{more}", "info"]]


service = {
    "name": "product-reviews",
    "port": 3551,
    "limit": "100Mi",
    "env": (
        ("OPENAI_API_KEY", "dummy"),
        ("LLM_MODEL", "astronomy-llm"),
        ("LLM_HOST", "llm"),
        ("LLM_PORT", "8000"),
        ("LLM_BASE_URL", "http://$(LLM_HOST):$(LLM_PORT)/v1"),
        ("PRODUCT_REVIEWS_PORT", "3551"),
        ("PRODUCT_CATALOG_ADDR", "product-catalog:8080"),
        *FLAGD,
        ("DB_CONNECTION_STRING", "host=postgresql user=otelu password=otelp dbname=otel"),
        ("PROTOCOL_BUFFERS_PYTHON_IMPLEMENTATION", "python"),
        ("OTEL_PYTHON_LOG_CORRELATION", "true"),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "true"),
        *GRPC,
    ),
    "params": {
        "language": "python",
        "format": "python",
        "protocol": "grpc",
        "listens": "PRODUCT_REVIEWS_PORT",
        "environment": {
            "llm": "LLM_BASE_URL",
            "product-catalog": "PRODUCT_CATALOG_ADDR",
            "postgresql": "DB_CONNECTION_STRING",
        },
        "ports": {"postgresql": 5432},
        "unset": ["Exception: {name} environment variable must be set", 1],
        "startup": [
            {"log": [f"{PLACE}:381", "Product reviews service started, listening on port 3551", "info"], "listen": True}
        ],
        "handlers": {
            **serve(
                "ProductReviewService",
                "GetProductReviews",
                1.5,
                query("postgresql", "SELECT", 0.6, throws=UNCAUGHT),
                says=_asked("GetProductReviews"),
            ),
            **serve(
                "ProductReviewService",
                "AskProductAIAssistant",
                2.5,
                fail(LIMITED, RATE, 0.5, on_error="ignore", log=[f"{PLACE}:205", "Caught Exception: {error}", "error"]),
                post("llm", "/v1/chat/completions", throws=UNCAUGHT),
                query("postgresql", "SELECT", 0.6, throws=UNCAUGHT),
                ask("product-catalog", "ProductCatalogService", "GetProduct", on_error="ignore"),
                post("llm", "/v1/chat/completions", throws=UNCAUGHT),
                says=_asked("AskProductAIAssistant", ", question: Can you summarize the product reviews?"),
                adds=[
                    {"when": {flag: on}, "says": [[f"{PLACE}:176", f"{flag} feature flag: {on}", "info"]]}
                    for flag in (RATE, WRONG)
                    for on in (True, False)
                ],
            ),
        },
        "memory": 70 * MIB,
        "boot": 2200,
        "threads": 14,
    },
}
