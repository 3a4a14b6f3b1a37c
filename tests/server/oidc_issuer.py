"""An OpenID Connect issuer for tests: it accepts everybody, and gives false answers on demand."""

from __future__ import annotations

import base64
import hashlib
import time
from typing import Any
from urllib.parse import parse_qs

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse
from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT, SECRET = "jostle", "s3cret of the client"


class Issuer:
    """The issuer.

    Attributes:
        claims: What its tokens say besides what they must.
        lies: What they say instead of what they must.
        url: Its own; asked: forms of the token endpoint; key: of its tokens; shown: as its own;
            usual: both of these before a test changes them; shows: how often keys were asked for.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.claims: dict[str, Any] = {"preferred_username": "anne"}
        self.lies: dict[str, Any] = {}
        self.key = self.shown = self.usual = RSAKey.generate_key(2048, {"kid": "1"}, private=True)
        self.shows = 0
        self.asked: list[dict[str, str]] = []
        self._codes: dict[str, dict[str, str]] = {}
        self.app = FastAPI()
        self.app.get("/.well-known/openid-configuration")(self.about)
        self.app.get("/keys")(self.keys)
        self.app.post("/token")(self.token)

    def keys(self) -> dict[str, Any]:
        self.shows += 1
        return {"keys": [self.shown.as_dict(private=False)]}

    def about(self) -> dict[str, str]:
        places = {"authorization_endpoint": "/login", "token_endpoint": "/token"}
        found = {name: self.url + path for name, path in places.items()}
        return found | {"issuer": self.lies.get("issuer", self.url), "jwks_uri": f"{self.url}/keys"}

    def grant(self, query: dict[str, str]) -> str:
        """The issuer's own page: gives a code for a client's request."""
        assert query["response_type"] == "code" and query["code_challenge_method"] == "S256"
        assert query["client_id"] == CLIENT and "openid" in query["scope"].split()
        code = f"code-{len(self._codes)}"
        self._codes[code] = query
        return code

    async def token(self, request: Request) -> JSONResponse:
        form = {k: v[0] for k, v in parse_qs((await request.body()).decode()).items()}
        self.asked.append(form)
        begun = self._codes.pop(form["code"], None)
        named = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        digest = hashlib.sha256(form["code_verifier"].encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if (
            begun is None
            or challenge != begun["code_challenge"]
            or form["redirect_uri"] != begun["redirect_uri"]
            or request.headers["authorization"] != f"Basic {named}"
        ):
            return JSONResponse({"error": "invalid_grant"}, 400)
        now = int(time.time())
        claims = (
            {
                "iss": self.url,
                "aud": CLIENT,
                "iat": now,
                "exp": now + 60,
                "sub": "7",
                "nonce": begun["nonce"],
            }
            | self.claims
            | self.lies
        )
        claims = {name: value for name, value in claims.items() if value is not None}
        token = jwt.encode({"alg": "RS256", "kid": self.key.kid or ""}, claims, self.key)
        return JSONResponse({"access_token": "x", "token_type": "Bearer", "id_token": token})
