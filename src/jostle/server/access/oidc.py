"""Log-in by OpenID Connect at an issuer: authorization code with PKCE, nonce and state."""

from __future__ import annotations

import logging
import secrets
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit

from jostle.errors import JostleError
from jostle.server.access.roles import ROLES, Roles, RolesFile
from jostle.server.access.viewer import Role, Viewer

_log = logging.getLogger("jostle.serve")
_BEGUN_S = 600.0
_MOST_BEGUN = 1000
#: How long the issuer's metadata and keys are cached, s: a key that it revokes is
#: accepted no longer than this.
_ABOUT_S, _KEYS_S = 3600.0, 300.0
#: Shortest interval of requests for keys after a token that no known key has signed, s.
_AGAIN_S = 30.0
#: How long no request is sent to an issuer that did not answer, s: log-ins fail at once.
_AWAY_S = 10.0
_LEEWAY_S = 60
#: Signature algorithms whose private keys only the issuer has.
_ALGORITHMS = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]


class OpenIdError(JostleError):
    """A log-in failed.

    Attributes:
        word: Keyword of the reason, for which the page shows a sentence. issuer: the issuer did not
            answer as it should; late: the log-in took too long, or began in another browser;
            refused: the issuer refused it, or its answer is not valid.
    """

    def __init__(self, word: str, message: str) -> None:
        super().__init__(message)
        self.word = word


@dataclass(frozen=True)
class OpenIdSettings:
    """The operator's settings of the issuer, the service at which users log in.

    Attributes:
        issuer: URL of the issuer.
        client_id: Id of this server at the issuer.
        client_secret: Secret of this server at the issuer; None: a public client.
        name_claim: Claim with the login name on the cluster.
        role_claim: Claim with a role, or a list of roles; None: only the operator's table has
            roles.
        accounts_claim: Claim that lists the users whose jobs a manager may see.
        scope: The scopes that are requested.
    """

    issuer: str
    client_id: str
    client_secret: str | None
    name_claim: str = "preferred_username"
    role_claim: str | None = None
    accounts_claim: str | None = None
    scope: str = "openid profile"


@dataclass(frozen=True)
class _Begun:
    """A log-in that was begun, with the values that issuer and browser must send back."""

    browser: str
    nonce: str
    verifier: str
    then: str
    since_s: float


class OpenId:
    """Log-in at the issuer: redirects browsers to it, and checks its answers."""

    kind: Final = "oidc"

    def __init__(self, settings: OpenIdSettings, redirect: str, roles: Roles | RolesFile) -> None:
        """Prepare log-ins without a request, since the issuer may start later than this server.

        Args:
            settings: Settings of the issuer.
            redirect: URL of this server to which the issuer sends browsers back.
            roles: The operator's table of roles.

        Raises:
            ModuleNotFoundError: jostle[site] is not installed.
        """
        import joserfc  # noqa: F401  # fail now, not at the first log-in

        self._settings = settings
        self._redirect = redirect
        self.roles = roles
        self._begun: dict[str, _Begun] = {}
        self._guard = threading.Lock()
        self._asking = threading.Lock()
        #: Cached answers by URL: until when each is valid, and the answer; None: there was none.
        self._known: dict[str, tuple[float, dict[str, Any] | None]] = {}
        self._asked_again_s = -_AGAIN_S

    def start(self, then: str) -> tuple[str, str]:
        """Begin a log-in.

        Args:
            then: Path on this server to show afterwards.

        Returns:
            URL to which the browser is redirected, and a secret that the browser stores, so that
            only this browser can finish the log-in.

        Raises:
            OpenIdError: The issuer does not answer.
        """
        nonce, verifier, browser = (secrets.token_urlsafe(32) for _ in range(3))
        endpoint = self._about()["authorization_endpoint"]
        with self._client() as client:
            url, state = client.create_authorization_url(
                endpoint, state=secrets.token_urlsafe(32), nonce=nonce, code_verifier=verifier
            )
        now = time.monotonic()
        with self._guard:
            fresh = [(k, b) for k, b in self._begun.items() if now - b.since_s < _BEGUN_S]
            self._begun = dict(fresh[-_MOST_BEGUN + 1 :])
            self._begun[state] = _Begun(browser, nonce, verifier, then, now)
        return cast(str, url), browser

    def finish(self, query: Mapping[str, str], browser: str) -> tuple[Viewer, str]:
        """Finish a log-in that `start` began.

        Args:
            query: Parameters of the URL to which the issuer sent the browser back.
            browser: The secret that `start` returned, as the browser stored it.

        Returns:
            The viewer, and the path to show.

        Raises:
            OpenIdError: The log-in is refused.
        """
        with self._guard:
            begun = self._begun.pop(query.get("state", ""), None)
        if begun is None or time.monotonic() - begun.since_s > _BEGUN_S:
            raise OpenIdError("late", "The log-in took too long, or was begun elsewhere.")
        if not secrets.compare_digest(begun.browser.encode(), browser.encode(errors="replace")):
            raise OpenIdError("late", "The log-in was begun in another browser.")
        if "code" not in query:
            raise OpenIdError("refused", "The issuer refused the log-in.")
        claims = self._claims(self._tokens(query["code"], begun.verifier), begun.nonce)
        return self._viewer(claims), begun.then

    def _tokens(self, code: str, verifier: str) -> str:
        """Return the ID token that the issuer gives for an authorization code."""
        import httpx
        from authlib.common.errors import AuthlibBaseError  # type: ignore[import-untyped]

        endpoint = self._about()["token_endpoint"]
        try:
            with self._client() as client:
                tokens = client.fetch_token(endpoint, code=code, code_verifier=verifier)
        except AuthlibBaseError as error:
            _log.warning("log-in refused: the issuer does not take the code: %s", error.error)
            raise OpenIdError("refused", "The issuer does not take the code.") from None
        except (httpx.HTTPError, ValueError) as error:
            raise self._silent(error) from None
        if not isinstance(tokens.get("id_token"), str):
            raise self._silent(ValueError("it sent no ID token"))
        return cast(str, tokens["id_token"])

    def _claims(self, token: str, nonce: str) -> dict[str, Any]:
        """Return the claims of an ID token, if the issuer signed it for this server and log-in."""
        from joserfc import jwt
        from joserfc.errors import JoseError

        client_id = self._settings.client_id
        rules = jwt.JWTClaimsRegistry(
            leeway=_LEEWAY_S,
            iss={"essential": True, "value": self._settings.issuer},
            aud={"essential": True, "value": client_id},
            exp={"essential": True},
            iat={"essential": True},
            nonce={"essential": True, "value": nonce},
        )
        try:
            claims = self._decoded(token).claims
            rules.validate(claims)
        except (JoseError, ValueError, TypeError) as error:
            _log.warning("log-in refused: the ID token is not valid: %s", type(error).__name__)
            raise OpenIdError("refused", "The issuer's answer is not valid.") from None
        audience = claims["aud"]
        many = isinstance(audience, list) and len(audience) > 1
        if claims.get("azp", None if many else client_id) != client_id:
            _log.warning("log-in refused: the ID token is another client's")
            raise OpenIdError("refused", "The issuer's answer is for somebody else.")
        return dict(claims)

    def _decoded(self, token: str) -> Any:
        from joserfc import jwt
        from joserfc.errors import JoseError
        from joserfc.jwk import KeySet

        keys = self._keys()
        try:
            return jwt.decode(token, KeySet.import_key_set(keys), _ALGORITHMS)
        except (JoseError, ValueError):
            newer = self._keys(than=keys)
            if newer is keys:
                raise
            return jwt.decode(token, KeySet.import_key_set(newer), _ALGORITHMS)

    def _keys(self, than: Any = None) -> Any:
        """Return the issuer's keys.

        Args:
            than: Keys that do not fit, in place of which newer keys are fetched. If keys were
                fetched again just now, `than` itself is returned. None: cached keys suffice.
        """
        url = self._about()["jwks_uri"]
        with self._guard:
            known = self._known.get(url)
            now = time.monotonic()
            if than is not None and known and known[1] is than:
                if now - self._asked_again_s < _AGAIN_S:
                    return than
                self._asked_again_s = now
                del self._known[url]
        return self._get(url, _KEYS_S)

    def _viewer(self, claims: Mapping[str, Any]) -> Viewer:
        settings = self._settings
        name = claims.get(settings.name_claim)
        if not isinstance(name, str) or not name:
            _log.warning("log-in refused: no claim %s", settings.name_claim)
            raise OpenIdError("refused", "The issuer does not say the login name.")
        claimed = _words(claims.get(settings.role_claim)) if settings.role_claim else []
        roles: list[Role] = [role for role in ROLES if role in claimed]
        named = _words(claims.get(settings.accounts_claim)) if settings.accounts_claim else []
        return self.roles.now().viewer(name, claimed=roles[-1] if roles else "user", accounts=named)

    def _client(self) -> Any:
        from authlib.integrations.httpx_client import OAuth2Client  # type: ignore[import-untyped]

        settings = self._settings
        return OAuth2Client(
            settings.client_id,
            settings.client_secret,
            token_endpoint_auth_method="client_secret_basic" if settings.client_secret else "none",
            scope=settings.scope,
            redirect_uri=self._redirect,
            code_challenge_method="S256",
            timeout=10,
        )

    def _about(self) -> dict[str, Any]:
        """Return the issuer's metadata."""
        issuer = self._settings.issuer
        about = self._get(f"{issuer.rstrip('/')}/.well-known/openid-configuration", _ABOUT_S)
        if about.get("issuer") != issuer:
            raise self._silent(ValueError("it calls itself otherwise"))
        for name in ("authorization_endpoint", "token_endpoint", "jwks_uri"):
            if not is_safe(str(about.get(name, ""))):
                raise self._silent(ValueError(f"its {name} is not an https URL"))
        return about

    def _get(self, url: str, valid_s: float) -> dict[str, Any]:
        """Return the issuer's answer (JSON) at a URL, cached for a while.

        Args:
            url: The URL.
            valid_s: Time for which an answer is cached, in seconds.
        """
        with self._asking:  # concurrent callers wait for one answer
            until, answer = self._known.get(url, (0.0, None))
            if time.monotonic() >= until:
                try:
                    answer = self._fetch(url)
                    self._known[url] = (time.monotonic() + valid_s, answer)
                except OpenIdError:
                    self._known[url] = (time.monotonic() + _AWAY_S, None)
                    raise
        if answer is None:
            raise OpenIdError("issuer", "The issuer did not answer just now.")
        return answer

    def _fetch(self, url: str) -> dict[str, Any]:
        import httpx

        try:
            answer = httpx.get(url, timeout=10)
            answer.raise_for_status()
            content = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise self._silent(error) from None
        if not isinstance(content, dict):
            raise self._silent(ValueError("it sent no object"))
        return content

    def _silent(self, error: Exception) -> OpenIdError:
        _log.warning("the issuer %s does not answer as it should: %s", self._settings.issuer, error)
        return OpenIdError("issuer", "The issuer does not answer as it should.")


def is_safe(url: str) -> bool:
    """Return whether requests to a URL are encrypted or stay on this machine."""
    parts = urlsplit(url)
    here: Callable[[str | None], bool] = {"127.0.0.1", "localhost", "::1"}.__contains__
    return bool(parts.hostname) and (
        parts.scheme == "https" or (parts.scheme == "http" and here(parts.hostname))
    )


def _words(claim: object) -> list[str]:
    """Return the values of a claim: a list, or a string separated by spaces or commas."""
    if isinstance(claim, str):
        return claim.replace(",", " ").split()
    return [word for word in claim if isinstance(word, str)] if isinstance(claim, list) else []
