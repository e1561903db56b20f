"""Checkout, in Go: asks nearly everybody, and hands placed orders to Kafka. Its log goes to the collector alone."""

from aiops_gym.catalog.apps.astronomy_shop.words import CONSUMED, FLAGD, GRPC, MIB, ask, post, serve

PREPARE = "Internal: failed to prepare order: "
CHARGE = "Internal: failed to charge card: could not charge the card: {error}"
QUOTE = "Internal: shipping quote failure: failed POST to shipping service: {error}"
ADDRESSES = {
    "cart": "CART_ADDR",
    "currency": "CURRENCY_ADDR",
    "email": "EMAIL_ADDR",
    "payment": "PAYMENT_ADDR",
    "product-catalog": "PRODUCT_CATALOG_ADDR",
    "shipping": "SHIPPING_ADDR",
    "kafka": "KAFKA_ADDR",
}

service = {
    "name": "checkout",
    "port": 8080,
    "limit": "20Mi",
    "waits": ("kafka", 9092),
    "env": (
        ("CHECKOUT_PORT", "8080"),
        ("CART_ADDR", "cart:8080"),
        ("CURRENCY_ADDR", "currency:8080"),
        ("EMAIL_ADDR", "http://email:8080"),
        ("PAYMENT_ADDR", "payment:8080"),
        ("PRODUCT_CATALOG_ADDR", "product-catalog:8080"),
        ("SHIPPING_ADDR", "http://shipping:8080"),
        ("KAFKA_ADDR", "kafka:9092"),
        *FLAGD,
        *GRPC,
        ("GOMEMLIMIT", "16MiB"),
    ),
    "params": {
        "language": "go_traced",
        "protocol": "grpc",
        "listens": "CHECKOUT_PORT",
        "environment": ADDRESSES,
        "unset": ['panic: environment variable "{name}" not set', 2],
        "handlers": serve(
            "CheckoutService",
            "PlaceOrder",
            1.3,
            ask(
                "cart",
                "CartService",
                "GetCart",
                throws="Internal: cart failure: failed to get user cart during checkout: {error}",
            ),
            ask(
                "product-catalog",
                "ProductCatalogService",
                "GetProduct",
                throws=f'{PREPARE}failed to get product #"OLJCESPC7Z"',
            ),
            ask(
                "currency",
                "CurrencyService",
                "Convert",
                throws=f'{PREPARE}failed to convert price of "OLJCESPC7Z" to USD',
            ),
            post("shipping", "/get-quote", throws=QUOTE),
            ask(
                "currency",
                "CurrencyService",
                "Convert",
                throws="Internal: failed to convert shipping cost to currency: failed to convert currency: {error}",
            ),
            ask("payment", "PaymentService", "Charge", when={"paymentUnreachable": False}, throws=CHARGE),
            {
                "kind": "grpc",
                "host": "badAddress",
                "port": 50051,
                "handler": "/oteldemo.PaymentService/Charge",
                "span": "oteldemo.PaymentService/Charge",
                "when": {"paymentUnreachable": True},
                "throws": CHARGE,
            },
            post(
                "shipping",
                "/ship-order",
                throws="Unavailable: shipping error: failed POST to shipping service: {error}",
            ),
            ask("cart", "CartService", "EmptyCart", on_error="ignore"),
            post("email", "/send_order_confirmation", on_error="ignore"),
            {
                "kind": "kafka",
                "to": "kafka",
                "topic": CONSUMED,
                "span": "orders publish",
                "ms": 0.6,
                "on_error": "ignore",
                "messages": {"flag": "kafkaQueueProblems", "plus": 1},
            },
        ),
        "memory": 12 * MIB,
        "boot": 120,
    },
}
