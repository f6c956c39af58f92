// Manages accounts of clinicians who decide about drafts in the engine. Each account is for one site and bound to a Practitioner of its EHR, which is
// checked because that Practitioner signs charts. The text of a key is returned once; only the digest of its secret is stored.
import { AppError, type ErrorCode } from '../../domain/errors.ts';
import type { Access } from '../../domain/people/caller.ts';
import type { SiteScope } from '../../domain/people/role.ts';
import type { Audit } from '../../ports/audit.ts';
import type { Ehrs } from '../../ports/ehr.ts';
import type { Reviewer, Reviewers } from '../../ports/reviewers.ts';
import type { Runtime } from '../../ports/runtime.ts';
import type { LoadedSite, Sites } from '../../ports/sites.ts';
import { findSite } from '../operations/find-site.ts';
import { byCaller } from '../people/by-caller.ts';
import { randomId, randomSecret } from '../random-names.ts';

/** Errors that do not prove that the Practitioner does not exist. */
const CANNOT_SAY: ReadonlySet<ErrorCode> = new Set(['ehrUnavailable', 'ehrAnswer', 'ehrRefused', 'notConfigured']);
const KEY_PATTERN = /^rv_([0-9a-f]{16})_([A-Za-z0-9_-]{43})$/;

export type ReviewerOrder = Pick<Reviewer, 'site' | 'practitioner' | 'name'>;

type NewReviewer = ReviewerOrder & { readonly access: Access };

export type CreatedReviewer = {
  readonly reviewer: Reviewer;
  /** Cannot be shown again. */
  readonly keyText: string;
  /** False if the EHR could not confirm the Practitioner. */
  readonly isChecked: boolean;
};

export type ManageReviewers = {
  /** Throws `notFound` and `conflict` as for any site, and `invalidRequest` if its EHR has no such Practitioner. */
  readonly create: (order: NewReviewer, signal: AbortSignal) => Promise<CreatedReviewer>;
  readonly list: (scope: SiteScope) => Promise<readonly Reviewer[]>;
  /** Throws `notFound`. Revoking twice is no error. */
  readonly revoke: (order: { readonly id: string; readonly access: Access }) => Promise<void>;
  /** Undefined if the text is not a valid key of a reviewer. */
  readonly authenticate: (keyText: string) => Promise<Reviewer | undefined>;
};

export type ManageReviewersParts = {
  readonly reviewers: Reviewers;
  readonly sites: Pick<Sites, 'current'>;
  readonly ehrs: Pick<Ehrs, 'of'>;
  readonly audit: Pick<Audit, 'append'>;
  readonly runtime: Pick<Runtime, 'makeSecret' | 'digest' | 'isSameDigest'>;
};

export function makeManageReviewers(parts: ManageReviewersParts): ManageReviewers {
  const { reviewers, sites, ehrs, audit, runtime } = parts;
  return {
    async create({ site: name, practitioner, name: shownName, access }, signal) {
      const loaded = findSite(sites.current(), name, access.scope);
      const isChecked = await checkPractitioner(ehrs, { site: loaded, practitioner }, signal);
      const site = loaded.name;
      const id = randomId(runtime);
      const secret = randomSecret(runtime);
      const details = { reviewer: id, practitioner };
      await audit.append(byCaller(access, { action: 'reviewer.create', site, details }));
      const secretDigest = runtime.digest(secret);
      const reviewer = await reviewers.create({ id, site, practitioner, name: shownName, secretDigest });
      return { reviewer: withoutDigest(reviewer), keyText: `rv_${id}_${secret}`, isChecked };
    },

    async list(scope) {
      return (await reviewers.list(scope)).map(withoutDigest);
    },

    async revoke({ id, access }) {
      const reviewer = await reviewers.find(id, access.scope);
      if (reviewer === undefined) throw new AppError('notFound', 'There is no reviewer with this id');
      const { site } = reviewer;
      await audit.append(byCaller(access, { action: 'reviewer.revoke', site, details: { reviewer: id } }));
      await reviewers.revoke(id);
    },

    async authenticate(keyText) {
      const [, id, secret] = KEY_PATTERN.exec(keyText) ?? [];
      if (id === undefined || secret === undefined) return undefined;
      const reviewer = await reviewers.find(id, 'all');
      if (reviewer === undefined || reviewer.revokedAt !== undefined) return undefined;
      if (!runtime.isSameDigest(runtime.digest(secret), reviewer.secretDigest)) return undefined;
      return withoutDigest(reviewer);
    },
  };
}

/** False if the EHR cannot confirm it. */
export async function checkPractitioner(
  ehrs: Pick<Ehrs, 'of'>,
  { site, practitioner }: { readonly site: LoadedSite; readonly practitioner: string },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    if ((await ehrs.of(site).read(practitioner, signal)) !== undefined) return true;
  } catch (thrown) {
    if (thrown instanceof AppError && CANNOT_SAY.has(thrown.code)) return false;
    throw thrown;
  }
  throw new AppError(
    'invalidRequest',
    `The EHR of ${site.name} has no ${practitioner}, which would sign the approved notes`,
  );
}

/** Copies field by field, so that no other field of the store is returned. */
function withoutDigest({ id, site, practitioner, name, createdAt, revokedAt }: Reviewer): Reviewer {
  return { id, site, practitioner, name, createdAt, ...(revokedAt !== undefined && { revokedAt }) };
}
