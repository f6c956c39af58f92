// Judges whether one Consent allows to document an encounter from its recording. A restriction that cannot be evaluated makes it unclear: it
// is never read as a general permission, and an uncertainty never overrides a denial.

import { literalOf } from '../chart/existing-resource.ts';
import { ownReference } from '../chart/own-reference.ts';
import { spanOf } from '../fhir-time.ts';
import { codesOf, hasMember, listOf, memberOf, textOf } from '../raw-members.ts';

/** `none`: it does not concern this patient, this time or this use. */
export type ConsentVerdict = 'permit' | 'deny' | 'unclear' | 'none';

/** The use that needs consent. */
export type ConsentUse = {
  /** `Patient/1` */
  readonly patient: string;
  /** Patients that were merged into this one: their Consents are of the same person. */
  readonly formerPatients?: readonly string[];
  /** `Organization/1`: the organizations that would document. */
  readonly organizations: readonly string[];
  readonly baseUrl: string | undefined;
  readonly timeZone: string;
  /** When the encounter began; when it ended, or now if it has not; and now. */
  readonly beganMs: number;
  readonly recordedMs: number;
  readonly nowMs: number;
};

const SCOPES = new Set(['http://terminology.hl7.org/CodeSystem/consentscope', 'http://hl7.org/fhir/consentscope']);
const CATEGORIES = new Set(['http://terminology.hl7.org/CodeSystem/consentcategorycodes']);
const ACT_CODES = new Set(['http://terminology.hl7.org/CodeSystem/v3-ActCode']);
const ACT_REASONS = new Set(['http://terminology.hl7.org/CodeSystem/v3-ActReason']);
const ACTIONS = new Set(['http://terminology.hl7.org/CodeSystem/consentaction']);

const OTHER_STATUSES = new Set(['draft', 'proposed', 'rejected', 'inactive', 'entered-in-error']);
const OTHER_SCOPES = new Set(['treatment', 'research', 'adr']);
/** Advance directives, research, an acknowledged notice: permission for these is no permission for a recording. */
const OTHER_CATEGORIES = new Set(['acd', 'dnr', 'emrgonly', 'hcd', 'npp', 'polst', 'research', 'rsdid', 'rsreid']);

export function judgeConsent(consent: unknown, use: ConsentUse): ConsentVerdict {
  const status = textOf(consent, 'status');
  const scopes = listOf(memberOf(consent, 'scope'), 'coding');
  const known = codesOf(memberOf(consent, 'scope'), SCOPES);
  if (status !== undefined && OTHER_STATUSES.has(status)) return 'none';
  if (scopes.length > 0 && known.length === scopes.length && known.every((code) => OTHER_SCOPES.has(code)))
    return 'none';
  const named = literalOf(memberOf(consent, 'patient'));
  if (named !== undefined && !patientsOf(use).includes(named)) return 'none';

  const verdict = judgeRules(consent, use);
  const isOfPrivacy = scopes.length === 0 || known.includes('patient-privacy');
  if (verdict === 'deny') return isOfPrivacy && !isOtherMatter(consent) ? 'deny' : 'unclear';
  if (verdict !== 'permit') return verdict;
  if (isOtherMatter(consent)) return 'none';
  return isOfPrivacy && status === 'active' && isUnderstood(consent, use) ? 'permit' : 'unclear';
}

function patientsOf({ patient, formerPatients = [] }: ConsentUse): readonly string[] {
  return [patient, ...formerPatients];
}

/** Checked only for a permission: a malformed denial is a denial all the same. */
function isUnderstood(consent: unknown, use: ConsentUse): boolean {
  const named = ownReference(memberOf(consent, 'patient'), use.baseUrl);
  if (named === undefined || !patientsOf(use).includes(named)) return false;
  if (hasMember(consent, 'implicitRules') || hasMember(consent, 'modifierExtension')) return false;
  if (!isWellShaped(consent)) return false;
  // The patient or the family was asked, and did not confirm the consent.
  const answers = listOf(consent, 'verification').map((verification) => memberOf(verification, 'verified'));
  return answers.length === 0 || answers.includes(true);
}

/** A member of the wrong shape may be a restriction of the permission. */
function isWellShaped(consent: unknown): boolean {
  const areOne = ['scope', 'policyRule'].every((name) => !Array.isArray(memberOf(consent, name)));
  // A scope that is only a text may be any scope.
  const isScoped = !hasMember(consent, 'scope') || listOf(memberOf(consent, 'scope'), 'coding').length > 0;
  return (
    areOne && isScoped && ['category', 'provision', 'verification'].every((name) => isWhole(memberOf(consent, name)))
  );
}

/** No list inside a list, and no null anywhere. */
function isWhole(value: unknown): boolean {
  if (value === null) return false;
  if (Array.isArray(value)) return value.every((item) => !Array.isArray(item) && isWhole(item));
  return typeof value !== 'object' || Object.values(value).every(isWhole);
}

function isOtherMatter(consent: unknown): boolean {
  const codes = listOf(consent, 'category').flatMap((category) => codesOf(category, CATEGORIES));
  return codes.length > 0 && codes.every((code) => OTHER_CATEGORIES.has(code));
}

function judgeRules(consent: unknown, use: ConsentUse): ConsentVerdict {
  const base = baseOf(consent);
  const roots = listOf(consent, 'provision');
  if (roots.length === 0) return base ?? 'unclear';
  const verdicts = roots.map((root) => judgeRoot(root, base, use));
  if (verdicts.includes('deny')) return 'deny';
  // R4 has one root provision; the meaning of several is undefined.
  return verdicts.length > 1 ? 'unclear' : (verdicts[0] ?? 'unclear');
}

function judgeRoot(root: unknown, base: BasePolicy, use: ConsentUse): ConsentVerdict {
  if (hasMember(root, 'type')) return judgeNode(root, { outer: base ?? 'none', use, depth: 0 });
  // In R4 the policy may define the type of the root: then the root only limits the scope of the policy.
  if (base === 'permit' || base === 'deny') return judgeNode(root, { outer: 'none', type: base, use, depth: 0 });
  return withExceptions(root, { outer: 'unclear', use, depth: 0 });
}

type BasePolicy = 'permit' | 'deny' | 'unclear' | undefined;

/** Only plain OPTIN and OPTOUT: the codes with suffixes have conditions that only a person can evaluate. */
function baseOf(consent: unknown): BasePolicy {
  const codes = codesOf(memberOf(consent, 'policyRule'), ACT_CODES);
  const [isIn, isOut] = [codes.includes('OPTIN'), codes.includes('OPTOUT')];
  if (isIn && isOut) return 'unclear';
  if (isOut) return 'deny';
  if (isIn) return 'permit';
  return codes.some((code) => code.startsWith('OPT')) ? 'unclear' : undefined;
}

type Around = {
  /** The verdict that applies if this provision does not match. */
  readonly outer: ConsentVerdict;
  readonly use: ConsentUse;
  readonly depth: number;
  readonly type?: 'permit' | 'deny';
};

const MAX_DEPTH = 8;
/** Exceptions of one provision; any further ones count as unreadable. */
const MAX_EXCEPTIONS = 100;

function judgeNode(provision: unknown, around: Around): ConsentVerdict {
  const { outer, use, depth } = around;
  const type = around.type ?? textOf(provision, 'type');
  if (depth > MAX_DEPTH || (type !== 'permit' && type !== 'deny')) return notReadIn(outer);
  const fit = fitOf(provision, type, use);
  if (fit === 'no') return outer;
  const own = fit === 'yes' ? firmVerdict(type, outer) : doubtfulVerdict(type, outer);
  return withExceptions(provision, { outer: own, use, depth });
}

/** A general denial with an exception for this use needs the judgement of a person. */
function firmVerdict(type: 'permit' | 'deny', outer: ConsentVerdict): ConsentVerdict {
  if (type === 'deny') return 'deny';
  return outer === 'none' || outer === 'permit' ? 'permit' : 'unclear';
}

function doubtfulVerdict(type: 'permit' | 'deny', outer: ConsentVerdict): ConsentVerdict {
  if (outer === 'deny' || outer === type) return outer;
  return 'unclear';
}

function withExceptions(provision: unknown, { outer, use, depth }: Around): ConsentVerdict {
  const exceptions = listOf(provision, 'provision');
  const read = exceptions.slice(0, MAX_EXCEPTIONS);
  const nested = read.map((one) => judgeNode(one, { outer, use, depth: depth + 1 }));
  if (exceptions.length > read.length) nested.push(notReadIn(outer));
  const changed = nested.filter((verdict) => verdict !== outer);
  if (changed.includes('deny')) return 'deny';
  return changed.includes('unclear') || (outer === 'unclear' && changed.length > 0) ? 'unclear' : (changed[0] ?? outer);
}

function notReadIn(outer: ConsentVerdict): ConsentVerdict {
  return outer === 'deny' ? 'deny' : 'unclear';
}

/** Whether a provision applies to this use at this time. */
type Fit = 'yes' | 'no' | 'doubt';

/** Restrictions to certain data: it cannot be decided whether a recording and a note are among them. */
const NOT_WEIGHED = ['modifierExtension', 'class', 'code', 'data', 'dataPeriod', 'securityLabel'] as const;

function fitOf(provision: unknown, type: 'permit' | 'deny', use: ConsentUse): Fit {
  const fits: readonly Fit[] = [
    fitOfPeriod(memberOf(provision, 'period'), type, use),
    fitOfPurpose(listOf(provision, 'purpose')),
    fitOfAction(listOf(provision, 'action'), type),
    fitOfActors(listOf(provision, 'actor'), use),
    NOT_WEIGHED.some((name) => hasMember(provision, name)) ? 'doubt' : 'yes',
  ];
  if (fits.includes('no')) return 'no';
  return fits.includes('doubt') ? 'doubt' : 'yes';
}

/**
 * A denial applies if it is valid at any time from the encounter until now, for recording and for writing. A permission must be valid when
 * the recording was made; one that was given later leaves that open.
 */
function fitOfPeriod(period: unknown, type: 'permit' | 'deny', use: ConsentUse): Fit {
  if (period === undefined) return 'yes';
  const [start, end] = [memberOf(period, 'start'), memberOf(period, 'end')];
  const [from, until] = [spanOf(start, use.timeZone)?.fromMs, spanOf(end, use.timeZone)?.untilMs];
  const isReadable = (start === undefined || from !== undefined) && (end === undefined || until !== undefined);
  if (!isReadable || typeof period !== 'object' || (type === 'permit' && !isPlainPeriod(period))) return 'doubt';
  const fromMs = from ?? Number.NEGATIVE_INFINITY;
  const untilMs = until ?? Number.POSITIVE_INFINITY;
  if (fromMs > untilMs) return 'doubt';
  const isOver = untilMs <= use.beganMs || fromMs > use.nowMs;
  if (isOver) return 'no';
  if (type === 'deny') return 'yes';
  return fromMs <= use.recordedMs && use.recordedMs < untilMs ? 'yes' : 'doubt';
}

/** A list of periods, or a period with other members (`_end`: the end is withheld), is not an unlimited period. */
function isPlainPeriod(period: object | null): boolean {
  return Object.keys(period ?? {}).every((name) => name === 'start' || name === 'end' || name === 'id');
}

/** Purposes such as marketing, research and payment; a purpose that is not listed is uncertain. */
const OTHER_PURPOSES = new Set(
  [
    'HMARKT HRESCH CLINTRCH BIORCH DISRCH PRECLINRCH TRANSRCH METAMGT HPAYMT CLMATTCH COVAUTH COVERAGE ELIGDTRM ELIGVER',
    'ENROLLM MEMBERINFO REMITADV FRAUD DONAT PUBHLTH HLEGAL LEGAL HCOMPL HDIRECT DIRECT FAMRQT PWATRNY SUPNWK MARKET',
  ].flatMap((codes) => codes.split(' ')),
);

function fitOfPurpose(purposes: readonly unknown[]): Fit {
  if (purposes.length === 0) return 'yes';
  const codes = purposes.flatMap((coding) => codesOf({ coding }, ACT_REASONS));
  if (codes.includes('TREAT')) return 'yes';
  const areOthers = codes.length === purposes.length && codes.every((code) => OTHER_PURPOSES.has(code));
  return areOthers ? 'no' : 'doubt';
}

/** Making a recording is the action `collect`, and documenting from it is `use`. */
function fitOfAction(actions: readonly unknown[], type: 'permit' | 'deny'): Fit {
  if (actions.length === 0) return 'yes';
  const codes = actions.flatMap((action) => codesOf(action, ACTIONS));
  const [collects, uses] = [codes.includes('collect'), codes.includes('use')];
  if (type === 'permit') return collects && uses ? 'yes' : 'doubt';
  if (collects || uses || codes.includes('access')) return 'yes';
  return codes.length === actions.length && codes.every((code) => code === 'correct') ? 'no' : 'doubt';
}

function fitOfActors(actors: readonly unknown[], use: ConsentUse): Fit {
  if (actors.length === 0) return 'yes';
  const references = actors.map((actor) => ownReference(memberOf(actor, 'reference'), use.baseUrl));
  return references.some((reference) => reference !== undefined && use.organizations.includes(reference))
    ? 'yes'
    : 'doubt';
}
