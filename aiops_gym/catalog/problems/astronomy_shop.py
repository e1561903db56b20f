"""The incidents of Astronomy Shop that AIOpsLab poses, with its spelling of their names."""

from functools import partial

from aiops_gym.catalog.model import Incident

BOTH = ("detection", "localization")
shop = partial(Incident, app="astronomy_shop", tasks=BOTH)
KAFKA = "astronomy_shop_kafka_queue_problems-{task}-1"

incidents = (
    shop(name="astronomy_shop_ad_service_failure-{task}-1", fault="failing_ads", target="ad"),
    shop(name="astronomy_shop_ad_service_high_cpu-{task}-1", fault="busy_ads", target="ad"),
    shop(name="astronomy_shop_ad_service_manual_gc-{task}-1", fault="collecting_ads", target="ad"),
    shop(name="astronomy_shop_cart_service_failure-{task}-1", fault="unemptied_carts", target="cart"),
    shop(name="astronomy_shop_image_slow_load-{task}-1", fault="late_images", target="frontend"),
    shop(name=KAFKA, fault="flooded_queue", target="kafka", tasks=(*BOTH, "mitigation")),
    shop(name="astronomy_shop_loadgenerator_flood_homepage-{task}-1", fault="flooded_page", target="frontend"),
    shop(name="astronomy_shop_payment_service_failure-{task}-1", fault="refused_charges", target="payment"),
    shop(name="astronomy_shop_payment_service_unreachable-{task}-1", fault="misled_charges", target="checkout"),
    shop(
        name="astronomy_shop_product_catalog_service_failure-{task}-1",
        fault="withheld_product",
        target="product-catalog",
    ),
    shop(
        name="astronomy_shop_recommendation_service_cache_failure-{task}-1",
        fault="misread_cache",
        target="recommendation",
    ),
    shop(name="noop_{task}_astronomy_shop-1", fault="", target="", tasks=("detection",)),
)
