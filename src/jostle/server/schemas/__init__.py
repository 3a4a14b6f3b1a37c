"""The schemas of what the API answers; OpenAPI is generated from them."""
