"""The schemas of the API's answers; OpenAPI is generated from them."""
