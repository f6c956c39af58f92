// The tokens of apps: a code is exchanged once, a refresh token is replaced at each use, and the client that has a token can ask what it is good for.
import { createHash, timingSafeEqual } from 'node:crypto';
import type { OAuthProblem } from '../fhir/oauth-client-check.ts';
import { issuerOf } from '../fhir/oauth-clients.ts';
import { type AppGrant, type Expiring, makeExpiring } from './app-grant.ts';
import type { SigningKey } from './signing-key.ts';
import { readResourceScope } from './smart-scopes.ts';

/** What the app showed when it asked for the code, and must fit at the exchange. */
export type CodeRequest = {
  readonly redirectUri: string;
  /** The S256 challenge of PKCE. */
  readonly challenge: string;
  readonly nonce?: string;
};

export type AppTokens = {
  readonly issueCode: (grant: AppGrant, request: CodeRequest) => string;
  readonly exchange: (form: URLSearchParams, clientId: string) => object | OAuthProblem;
  readonly refresh: (form: URLSearchParams, clientId: string) => object | OAuthProblem;
  /** RFC 7662. A client learns of its own tokens only. */
  readonly introspect: (form: URLSearchParams, clientId: string) => object;
  readonly clear: () => void;
};

export type AppTokensParts = {
  readonly tokens: Expiring<'system' | AppGrant>;
  readonly lifeSeconds: number;
  readonly signingKey: SigningKey;
  readonly baseUrl: () => string;
  readonly nameOf: (practitioner: string) => string;
  readonly now: () => Date;
};

type Use = { isUsed: boolean };
type Code = { readonly grant: AppGrant; readonly request: CodeRequest; readonly use: Use };
type Refresh = { readonly grant: AppGrant; readonly use: Use };

const CODE_SECONDS = 60;
const REFRESH_SECONDS = 12 * 3_600;

export function makeAppTokens(parts: AppTokensParts): AppTokens {
  const { tokens, lifeSeconds, now } = parts;
  const codes = makeExpiring<Code>({ now, lifeSeconds: CODE_SECONDS });
  const refreshTokens = makeExpiring<Refresh>({ now, lifeSeconds: REFRESH_SECONDS });

  /** Two parties have the same secret: whatever came of it ends (RFC 9700). */
  function endFamily(family: string): void {
    tokens.forget((grant) => grant !== 'system' && grant.family === family);
    refreshTokens.forget(({ grant }) => grant.family === family);
  }

  function answer(grant: AppGrant, refreshable: AppGrant, more: object): object {
    const isLasting = refreshable.scopes.some((scope) => scope === 'offline_access' || scope === 'online_access');
    return {
      access_token: tokens.issue(grant),
      token_type: 'Bearer',
      expires_in: lifeSeconds,
      scope: grant.scopes.join(' '),
      ...(isLasting && { refresh_token: refreshTokens.issue({ grant: refreshable, use: { isUsed: false } }) }),
      ...contextOf(grant),
      ...(grant.appContext !== undefined && { appContext: grant.appContext }),
      need_patient_banner: true,
      ...more,
    };
  }

  return {
    issueCode: (grant, request) => codes.issue({ grant, request, use: { isUsed: false } }),

    exchange(form, clientId) {
      const code = codes.find(form.get('code') ?? '');
      if (code === undefined) return refused('The code is not known, or has ended');
      const { grant, request, use } = code;
      if (use.isUsed) {
        endFamily(grant.family);
        return refused('The code was used before');
      }
      // A wrong try burns the code: its owner can start again, and a thief cannot guess.
      use.isUsed = true;
      if (grant.clientId !== clientId) return refused('The code is of another client');
      if (form.get('redirect_uri') !== request.redirectUri) return refused('The redirect is another one');
      if (!fits(form.get('code_verifier') ?? '', request.challenge)) return refused('The verifier does not fit');
      return answer(grant, grant, idTokenOf(grant, request, parts));
    },

    refresh(form, clientId) {
      const found = refreshTokens.find(form.get('refresh_token') ?? '');
      if (found === undefined || found.grant.clientId !== clientId) return refused('The refresh token is not known');
      const { grant, use } = found;
      if (use.isUsed) {
        endFamily(grant.family);
        return refused('The refresh token was replaced');
      }
      const scopes = narrowedTo(grant, form.get('scope'));
      if (scopes === undefined) return { error: 'invalid_scope', text: 'More than was granted' };
      use.isUsed = true;
      return answer({ ...grant, scopes }, grant, {});
    },

    introspect(form, clientId) {
      const text = form.get('token') ?? '';
      const endsAt = tokens.endOf(text);
      const grant = tokens.find(text);
      if (grant === undefined || endsAt === undefined || grant === 'system' || grant.clientId !== clientId) {
        return { active: false };
      }
      const { practitioner, scopes } = grant;
      return {
        active: true,
        scope: scopes.join(' '),
        client_id: clientId,
        exp: Math.floor(endsAt.getTime() / 1000),
        ...contextOf(grant),
        ...(scopes.includes('openid') && { iss: issuerOf(parts.baseUrl()), sub: practitioner }),
        ...(scopes.includes('fhirUser') && { fhirUser: `${parts.baseUrl()}/Practitioner/${practitioner}` }),
      };
    },

    clear() {
      codes.forget(() => true);
      refreshTokens.forget(() => true);
      tokens.forget((grant) => grant !== 'system');
    },
  };
}

function refused(text: string): OAuthProblem {
  return { error: 'invalid_grant', text };
}

function contextOf({ patient, encounter }: AppGrant): object {
  return { ...(patient !== undefined && { patient }), ...(encounter !== undefined && { encounter }) };
}

function idTokenOf(
  { clientId, practitioner, scopes }: AppGrant,
  { nonce }: CodeRequest,
  { signingKey, baseUrl, nameOf, lifeSeconds, now }: AppTokensParts,
): object {
  if (!scopes.includes('openid')) return {};
  const iat = Math.floor(now().getTime() / 1000);
  const claims = {
    iss: issuerOf(baseUrl()),
    sub: practitioner,
    aud: clientId,
    iat,
    exp: iat + lifeSeconds,
    ...(nonce !== undefined && { nonce }),
    ...(scopes.includes('fhirUser') && { fhirUser: `${baseUrl()}/Practitioner/${practitioner}` }),
    ...(scopes.includes('profile') && { name: nameOf(practitioner) }),
  };
  return { id_token: signingKey.sign(claims) };
}

function fits(verifier: string, challenge: string): boolean {
  if (!/^[A-Za-z0-9\-._~]{43,128}$/.test(verifier)) return false;
  const made = Buffer.from(createHash('sha256').update(verifier).digest('base64url'));
  const wanted = Buffer.from(challenge);
  return made.length === wanted.length && timingSafeEqual(made, wanted);
}

/** Undefined if the request is for more than was granted. */
function narrowedTo({ scopes }: AppGrant, requested: string | null): readonly string[] | undefined {
  if (requested === null || requested === '') return scopes;
  const wanted = requested.split(' ').filter((scope) => scope !== '');
  return wanted.every((scope) => scopes.some((granted) => covers(granted, scope))) ? wanted : undefined;
}

function covers(granted: string, requested: string): boolean {
  if (granted === requested) return true;
  const [wide, narrow] = [readResourceScope(granted), readResourceScope(requested)];
  if (wide === undefined || narrow === undefined || wide.level !== narrow.level) return false;
  const isType = wide.type === '*' || wide.type === narrow.type;
  return isType && [...narrow.letters].every((letter) => wide.letters.includes(letter));
}
