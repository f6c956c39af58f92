// An API key as the operator sees it. The secret is shown once and is not stored.

export type ApiKey = {
  readonly id: string;
  readonly organization: string;
  readonly plan: string;
  readonly label?: string;
  readonly createdAt: Date;
  readonly expiresAt?: Date;
  readonly revokedAt?: Date;
  readonly lastUsedAt?: Date;
};

/** The owner of a valid key that makes a request. */
export type Caller = { readonly keyId: string; readonly organization: string; readonly plan: string };

const KEY_PATTERN = /^cw_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

/** The two parts of `cw_<id>_<secret>`; undefined for any other text. */
export function splitApiKey(key: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = KEY_PATTERN.exec(key) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}

export function joinApiKey(id: string, secret: string): string {
  return `cw_${id}_${secret}`;
}
