// The writes to a chart, one revision of a session's documents at a time: frozen first, then sent, then looked for. A frozen write
// never changes; only its state does.
import type { ResourceType } from '@medplum/fhirtypes';
import { type AnsweringModel, describeAnsweringModel } from '../answering-model.ts';
import type { Identity } from './identity.ts';
import type { RunFacts } from './run-facts.ts';

/** No answer to a write is waited for longer than this: its result is uncertain from then on. */
export const LONGEST_WRITE_MS = 90_000;

/** The place of documents: one session of one encounter at one site. For Devices encounter and session are empty texts. */
export type WritePlace = { readonly site: string; readonly encounter: string; readonly session: string };

/** The part that the identities of a session's documents have in common. */
export function placeIdentity({ encounter, session }: Pick<WritePlace, 'encounter' | 'session'>): string {
  return `${encounter}/${session}`;
}

/**
 * `create`: a new resource. `update`: a further version of a document that is not signed. `retire`: a resource that is no longer
 * valid is set entered-in-error.
 */
export type WriteAction = 'create' | 'update' | 'retire';

export type PlannedWrite = {
  /** The mapping's name: `condition`; `retraction` for the Provenance of one. */
  readonly document: string;
  readonly action: WriteAction;
  readonly type: ResourceType;
  /** The name of the document, the same in every revision. */
  readonly base: Identity;
  /** The name of this resource: the base, followed by a number from the second resource of that name on: `…/condition/J18.9/2`. */
  readonly identity: Identity;
  /** `urn:uuid:…` of the base: the other frozen writes refer to it by this urn, in every revision. */
  readonly fullUrl: string;
  /** The resource as JSON, references to others of the set as their urns. */
  readonly body: string;
  /** For `update` and `retire`: the resource (`Condition/12`), and the version that this builds on. */
  readonly target?: string;
  readonly ifMatch?: string;
};

/**
 * `frozen`: certainly not sent. `sending`: it may be in the chart. `stored`: the EHR answered that it is; it has not been counted yet.
 * `written`: it is in the chart once. The other states are final, too: `refused` by the EHR; `ambiguous`: a person must look;
 * `dropped`: a later revision came before it was sent.
 */
const WRITE_STATES = ['frozen', 'sending', 'stored', 'written', 'refused', 'ambiguous', 'dropped'] as const;
export type WriteState = (typeof WRITE_STATES)[number];

export type ChartWrite = PlannedWrite & {
  readonly id: string;
  /** Its place among the writes of its revision: each after those that it refers to. */
  readonly position: number;
  /** The hash of the body in hex: the stored bytes must be those that were frozen. */
  readonly sha256: string;
  readonly state: WriteState;
  /** When it was last sent. */
  readonly sentAt?: Date;
  /** The hash of the bytes that were sent, with references resolved: a later try must send the same bytes. */
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
  /** The names by which the models that answered are found, each with and without its fingerprint. */
  readonly answeredBy?: readonly string[];
  readonly speech?: string;
};

export function writeVersions({ engine, model, answeredBy, speech, prompt, mapping }: RunFacts): WriteVersions {
  const named = ({ name, version }: { readonly name: string; readonly version?: string }) =>
    version === undefined ? name : `${name}@${version}`;
  return {
    engine: `${engine.name} ${engine.version}`,
    model: named(model),
    ...(answeredBy && { answeredBy: searchNames(answeredBy) }),
    ...(speech && { speech: named(speech) }),
    ...(prompt !== undefined && { prompt }),
    ...(mapping !== undefined && { mapping }),
  };
}

function searchNames(answeredBy: readonly AnsweringModel[]): readonly string[] {
  return [...new Set(answeredBy.flatMap((one) => [one.model, describeAnsweringModel(one)]))];
}

export type NewRevision = {
  readonly kind: 'documents' | 'retraction' | 'device';
  readonly patient: string;
  /** The run whose results these are; its time is in the documents. */
  readonly run: { readonly id: string; readonly time: string };
  readonly versions: WriteVersions;
  readonly writes: readonly PlannedWrite[];
};

/** `open`: not all of it is in the chart yet. `done`: all is. `parked`: a person must decide; `replaced`: a later revision took over. */
export type RevisionState = 'open' | 'done' | 'parked' | 'replaced';

export type Revision = Omit<NewRevision, 'writes'> & {
  readonly place: WritePlace;
  /** Revisions of a place are counted from 1. */
  readonly number: number;
  readonly state: RevisionState;
  /** The reason if it is parked: a code of a closed set. */
  readonly reason?: string;
  readonly writes: readonly ChartWrite[];
};

/** A document in the chart when its run has ended. */
export type WrittenDocument = {
  readonly document: string;
  readonly reference: string;
  readonly status: 'created' | 'updated' | 'unchanged' | 'retired';
};

/** A document that stays as it is, because a person has changed or signed it. */
export type LeftDocument = {
  readonly document: string;
  readonly reference: string;
  readonly why: 'touched' | 'signed' | 'unchangeable';
};

const PARK_REASONS = {
  /** More than one resource has one identity, or the engine did not write it. */
  ambiguous: 'ambiguous',
  /** The patient or the encounter has changed. */
  identity: 'identity',
  /** The EHR refused one of the resources. */
  refused: 'refused',
  /** A person changed a document that the new revision would have replaced. */
  touched: 'touched',
  /** It is signed, or this EHR does not let the engine change it: a person must retract it. */
  retractByHand: 'retract-by-hand',
  /** The mappings made invalid FHIR. */
  invalid: 'invalid',
  /** No write strategy is left for this EHR. */
  noWay: 'no-way',
  /** The site's EHR is not the one that it wrote to before. */
  otherEhr: 'other-ehr',
} as const;
export type ParkReason = (typeof PARK_REASONS)[keyof typeof PARK_REASONS];

const HOLD_REASONS = {
  consent: 'consent',
  sensitive: 'sensitive',
  label: 'label',
  /** This EHR accepts no drafts: a clinician must approve first. */
  drafts: 'drafts',
} as const;
export type HoldReason = (typeof HOLD_REASONS)[keyof typeof HOLD_REASONS];

export type WriteOutcome =
  /** `resources` is empty if nothing had changed. `left`: what a person has changed or signed. */
  (
    | {
        readonly status: 'written';
        readonly resources: readonly WrittenDocument[];
        readonly left: readonly LeftDocument[];
      }
    | {
        readonly status: 'parked';
        readonly reason: ParkReason;
        /** Plain words without any patient data. */
        readonly message: string;
        readonly advice: string;
        /** The resources that a person should look at. */
        readonly references: readonly string[];
        /** The documents that a retraction has left in the chart. */
        readonly left?: readonly LeftDocument[];
      }
    | { readonly status: 'held'; readonly reason: HoldReason; readonly message: string; readonly advice: string }
    | { readonly status: 'skipped'; readonly reason: HoldReason; readonly message: string }
    | {
        readonly status: 'retracted';
        readonly resources: readonly WrittenDocument[];
        readonly left: readonly LeftDocument[];
      }
  ) & {
    /** `Patient/2`: the patient into whom the one of the facts was merged, if the write has noticed it. */
    readonly patient?: string;
  };
