// What is done to a chart, one revision of a session's documents at a time: frozen first, then sent, then looked for. A frozen
// write never changes; only what became of it does.
import type { ResourceType } from '@medplum/fhirtypes';
import type { Identity } from './identity.ts';
import type { RunFacts } from './run-facts.ts';

/** No write is waited for longer than this: what comes of it is in doubt from then on. */
export const LONGEST_WRITE_MS = 90_000;

/** Where documents belong: one session of one encounter at one site. Devices have neither encounter nor session: empty texts. */
export type WritePlace = { readonly site: string; readonly encounter: string; readonly session: string };

/**
 * `create`: a new resource. `update`: a further version of a document that nobody has signed. `retire`: one that is no longer meant,
 * set entered-in-error.
 */
export type WriteAction = 'create' | 'update' | 'retire';

export type PlannedWrite = {
  /** The mapping's name: `condition`; `retraction` for the Provenance of one. */
  readonly document: string;
  readonly action: WriteAction;
  readonly type: ResourceType;
  /** What the document is named by, the same in every revision. */
  readonly base: Identity;
  /** What this resource is named by: the base, and from the second resource of that name on its number behind it: `…/condition/J18.9/2`. */
  readonly identity: Identity;
  /** `urn:uuid:…` of the base: what the other frozen writes call it, in every revision. */
  readonly fullUrl: string;
  /** The resource as JSON, references to others of the set as their urns. */
  readonly body: string;
  /** For `update` and `retire`: which resource (`Condition/12`), and the version that this builds on. */
  readonly target?: string;
  readonly ifMatch?: string;
};

/**
 * `frozen`: kept, certainly not sent. `sending`: it may be there. `stored`: the EHR said that it is there; it has not been counted yet.
 * `written`: it is there, once. The others are ends, too: `refused` by the EHR; `ambiguous`: a person must look; `dropped`: a
 * later revision came before it was sent.
 */
const WRITE_STATES = ['frozen', 'sending', 'stored', 'written', 'refused', 'ambiguous', 'dropped'] as const;
export type WriteState = (typeof WRITE_STATES)[number];

export type ChartWrite = PlannedWrite & {
  readonly id: string;
  /** Its place among the writes of its revision: each after those that it refers to. */
  readonly position: number;
  /** Of the body, in hex: what is kept must be what was frozen. */
  readonly sha256: string;
  readonly state: WriteState;
  /** When it was last sent. */
  readonly sentAt?: Date;
  /** Of the bytes that really went out, references resolved: what is sent again must be the same. */
  readonly sentSha256?: string;
  /** `Condition/12` */
  readonly reference?: string;
  readonly version?: string;
};

export type WriteVersions = {
  readonly engine: string;
  readonly mapping?: string;
  readonly prompt?: string;
  readonly model?: string;
  readonly speech?: string;
};

export function writeVersions({ engine, model, speech, prompt, mapping }: RunFacts): WriteVersions {
  const named = ({ name, version }: { readonly name: string; readonly version?: string }) =>
    version === undefined ? name : `${name}@${version}`;
  return {
    engine: `${engine.name} ${engine.version}`,
    model: named(model),
    ...(speech && { speech: named(speech) }),
    ...(prompt !== undefined && { prompt }),
    ...(mapping !== undefined && { mapping }),
  };
}

export type NewRevision = {
  readonly kind: 'documents' | 'retraction' | 'device';
  readonly patient: string;
  /** Of the run whose results these are; its time is the one that is in the documents. */
  readonly run: { readonly id: string; readonly time: string };
  readonly versions: WriteVersions;
  readonly writes: readonly PlannedWrite[];
};

/** `open`: not all of it is there yet. `done`: all is. `parked`: a person must decide; `replaced`: a later revision took over. */
export type RevisionState = 'open' | 'done' | 'parked' | 'replaced';

export type Revision = Omit<NewRevision, 'writes'> & {
  readonly place: WritePlace;
  /** From 1. */
  readonly number: number;
  readonly state: RevisionState;
  /** Why it is parked: a code of a closed set. */
  readonly reason?: string;
  readonly writes: readonly ChartWrite[];
};

/** What a run answers for at the end. */
export type WrittenDocument = {
  readonly document: string;
  readonly reference: string;
  readonly status: 'created' | 'updated' | 'unchanged' | 'retired';
};

/** What was left as it is, because a person changed or signed it. */
export type LeftDocument = {
  readonly document: string;
  readonly reference: string;
  readonly why: 'touched' | 'signed' | 'unchangeable';
};

const PARK_REASONS = {
  /** More than one resource of one identity, or one that nobody here wrote. */
  ambiguous: 'ambiguous',
  /** The patient or the encounter are not what they were. */
  identity: 'identity',
  /** The EHR refused one of the resources. */
  refused: 'refused',
  /** A person changed what a new revision would have replaced. */
  touched: 'touched',
  /** Signed, or of a kind that this EHR does not let us change: retract by hand. */
  retractByHand: 'retract-by-hand',
  /** What the mappings made is no FHIR that may leave. */
  invalid: 'invalid',
  /** There is no way left to write to this EHR. */
  noWay: 'no-way',
  /** The site's EHR is another one than the one that was written to before. */
  otherEhr: 'other-ehr',
} as const;
export type ParkReason = (typeof PARK_REASONS)[keyof typeof PARK_REASONS];

const HOLD_REASONS = {
  consent: 'consent',
  sensitive: 'sensitive',
  label: 'label',
  /** This EHR takes no drafts: somebody must approve first. */
  drafts: 'drafts',
} as const;
export type HoldReason = (typeof HOLD_REASONS)[keyof typeof HOLD_REASONS];

export type WriteOutcome =
  /** `resources` is empty where nothing had changed. `left`: what a person made their own. */
  (
    | {
        readonly status: 'written';
        readonly resources: readonly WrittenDocument[];
        readonly left: readonly LeftDocument[];
      }
    | {
        readonly status: 'parked';
        readonly reason: ParkReason;
        /** In plain words, without anything of the patient's. */
        readonly message: string;
        readonly advice: string;
        /** What somebody should look at. */
        readonly references: readonly string[];
      }
    | { readonly status: 'held'; readonly reason: HoldReason; readonly message: string; readonly advice: string }
    | { readonly status: 'skipped'; readonly reason: HoldReason; readonly message: string }
    | {
        readonly status: 'retracted';
        readonly resources: readonly WrittenDocument[];
        readonly left: readonly LeftDocument[];
      }
  ) & {
    /** `Patient/2`: into whom the patient of the facts was merged, where the write has noticed it. */
    readonly patient?: string;
  };
