// Finds out which EHR calls, by its JWT: the site whose settings name the issuer, signed with a key that this EHR publishes, and used once.
import { AppError } from '../../domain/errors.ts';
import type { EhrTokens } from '../../ports/ehr-tokens.ts';
import type { SignInAttempts } from '../../ports/sign-in-attempts.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';

export type IdentifyEhr = (order: {
  readonly token: string;
  /** The addresses below /cds-services that the token may be for: `chartwright-drafts-patient-view`. */
  readonly paths: readonly string[];
}) => Promise<readonly LoadedSite[]>;

export type IdentifyEhrParts = {
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrTokens: EhrTokens;
  readonly signInAttempts: Pick<SignInAttempts, 'useOnce'>;
  readonly publicUrl: string;
};

/** A token that a clock far behind ours accepts is remembered for a little longer. */
const CLOCK_MS = 60_000;

/**
 * Returns the sites of this EHR: one, or several of a hospital group with one issuer. Throws `unauthorized` with the reason; `ehrUnavailable` if
 * the keys of the EHR cannot be fetched.
 */
export function makeIdentifyEhr({ sites, ehrTokens, signInAttempts, publicUrl }: IdentifyEhrParts): IdentifyEhr {
  return async ({ token, paths }) => {
    if (token === '') throw new AppError('unauthorized', 'The request has no JWT: Authorization: Bearer …');
    const issuer = ehrTokens.issuerOf(token);
    const own = [...sites.current().sites.values()].filter(({ settings: { cds } }) => cds && cds.issuer === issuer);
    const [first] = own.flatMap(({ settings: { cds } }) => cds ?? []);
    if (issuer === undefined || first === undefined) {
      throw new AppError('unauthorized', 'The JWT is refused: its issuer is that of no site');
    }
    const { jwksUri, audience = `${withoutEnd(publicUrl)}/cds-services` } = first;
    const audiences = paths.map((path) => `${withoutEnd(audience)}/${path}`);
    const { id, endsAt } = await ehrTokens.verify(token, { issuer, jwksUri, audiences });
    const until = new Date(endsAt.getTime() + CLOCK_MS);
    if (!(await signInAttempts.useOnce(`cds ${issuer}`, id, until))) {
      throw new AppError('unauthorized', 'The JWT is refused: it was used before');
    }
    return own.filter(({ settings: { cds } }) => cds?.jwksUri === jwksUri && cds.audience === first.audience);
  };
}

function withoutEnd(address: string): string {
  return address.replace(/\/+$/, '');
}
