// The ways to write to an EHR, from the safest to none at all, and why each can be used or not. The EHR's own statement and the facts
// learned of it decide.
import type { ResourceType } from '@medplum/fhirtypes';
import { type EhrFact, type EhrProfile, factNamed } from './ehr-capabilities.ts';

export const WRITE_STRATEGIES = [
  'transaction',
  'conditional-transaction',
  'single-creates',
  'document-only',
  'hold',
] as const;
export type WriteStrategy = (typeof WRITE_STRATEGIES)[number];

export type AssessedStrategy = {
  /** This is the field's name in the answers of /ops. */
  readonly rung: WriteStrategy;
  readonly isUsable: boolean;
  /** A sentence for the person who configures the site. */
  readonly why: string;
};

/** The limit of one conditional transaction if the server states none: some refuse more. */
const DEFAULT_CONDITIONAL_ENTRIES = 8;

/** Any of these finds a resource again, because every answer is filtered. */
const FINDING_PARAMETERS = ['identifier', 'encounter', 'patient', 'subject', 'target'];
const TAGGED_TYPES = new Set(['Provenance', 'Binary']);

export function acceptedContent({ capabilities, facts }: EhrProfile): {
  readonly takesType: (type: string) => boolean;
  readonly takesDrafts: boolean;
} {
  const isUnstated = !capabilities.isKnown || capabilities.types.size === 0;
  return {
    takesType: (type) => {
      const learned = factNamed(facts, `type:${type}`);
      if (learned !== undefined) return learned === 'taken';
      return isUnstated || capabilities.types.get(type)?.canCreate === true;
    },
    takesDrafts: factNamed(facts, 'drafts') !== 'refused',
  };
}

/** All strategies in their order; the last can always be used. */
export function assessStrategies({
  capabilities,
  facts,
  types,
}: EhrProfile & { readonly types: readonly ResourceType[] }): readonly AssessedStrategy[] {
  const profile = { capabilities, facts };
  return [
    transactionStep(profile, types),
    conditionalStep(profile),
    singleStep(profile, types),
    documentStep(profile),
    { rung: 'hold', isUsable: true, why: 'The result stays in the engine until a person has dealt with it.' },
  ];
}

/** How many entries one conditional transaction may hold. */
export function conditionalLimit(facts: readonly EhrFact[]): number {
  const learned = facts.find((fact) => fact.name === 'conditional-limit');
  return learned?.name === 'conditional-limit' ? learned.value : DEFAULT_CONDITIONAL_ENTRIES;
}

function transactionStep({ capabilities, facts }: EhrProfile, types: readonly ResourceType[]): AssessedStrategy {
  const no = (why: string): AssessedStrategy => ({ rung: 'transaction', isUsable: false, why });
  const learned = factNamed(facts, 'transaction');
  if (learned === 'refused') return no('This EHR refused a transaction before.');
  if (learned === 'batch') return no('This EHR ran a transaction entry by entry: a part of it could have stayed.');
  // What a write test has shown counts more than what the EHR states.
  if (learned === undefined && lacksTransactions(capabilities)) return no('This EHR does not offer transactions.');
  if (learned === undefined)
    return no(`No write test has shown that its transactions are all or nothing: ${WRITE_TEST}.`);
  const unfindable = types.filter((type) => !isFindable(type, { capabilities, facts }));
  if (unfindable.length > 0) {
    return no(
      `${unfindable.join(', ')} cannot be searched for: after a lost answer it would stay unknown what was stored.`,
    );
  }
  const why = 'A write test has shown that it is all or nothing; searched for before it is sent again.';
  return { rung: 'transaction', isUsable: true, why };
}

const WRITE_TEST = 'npm run cli -- sites probe <site> --write-test does';

function conditionalStep({ capabilities, facts }: EhrProfile): AssessedStrategy {
  const no = (why: string): AssessedStrategy => ({ rung: 'conditional-transaction', isUsable: false, why });
  const transaction = factNamed(facts, 'transaction');
  if (transaction === 'refused' || transaction === 'batch') {
    return no('This EHR does not run transactions as all or nothing.');
  }
  if (transaction === undefined && lacksTransactions(capabilities)) return no('This EHR does not offer transactions.');
  const probed = factNamed(facts, 'conditional');
  if (probed === undefined) return no(`No write test has tried it: ${WRITE_TEST}.`);
  if (probed === 'failed') return no('A write test of it failed.');
  const why = `A write test of it passed; at most ${conditionalLimit(facts)} entries each, one after the other.`;
  return { rung: 'conditional-transaction', isUsable: true, why };
}

function lacksTransactions({ isKnown, hasTransaction }: EhrProfile['capabilities']): boolean {
  return isKnown && !hasTransaction;
}

function singleStep(profile: EhrProfile, types: readonly ResourceType[]): AssessedStrategy {
  const { takesType } = acceptedContent(profile);
  const refused = types.filter((type) => !takesType(type));
  if (refused.length === types.length && types.length > 0) {
    return { rung: 'single-creates', isUsable: false, why: `This EHR accepts none of ${types.join(', ')}.` };
  }
  const isNoteAll = refused.length > 0 && types.every((type) => type === 'DocumentReference' || !takesType(type));
  if (isNoteAll) {
    return {
      rung: 'single-creates',
      isUsable: false,
      why: `This EHR accepts the note, and none of ${refused.join(', ')}.`,
    };
  }
  const but = refused.length === 0 ? '' : ` It does not accept ${refused.join(', ')}.`;
  return {
    rung: 'single-creates',
    isUsable: true,
    why: `One resource after the other, each recorded in the ledger before and after.${but}`,
  };
}

function documentStep(profile: EhrProfile): AssessedStrategy {
  const isUsable = acceptedContent(profile).takesType('DocumentReference');
  const why = isUsable
    ? 'The note alone, with the differential as text.'
    : 'This EHR does not accept DocumentReferences.';
  return { rung: 'document-only', isUsable, why };
}

/** Whether the server offers any search that finds written resources of this type. */
export function isFindable(type: string, { capabilities, facts }: EhrProfile): boolean {
  if (!capabilities.isKnown || capabilities.types.size === 0) return true;
  const offered = capabilities.types.get(type);
  if (offered === undefined || !offered.canSearch || factNamed(facts, `names:${type}`) === 'lost') return false;
  const learned = (parameter: string) => factNamed(facts, `search:${type}:${parameter}`);
  const works = (parameter: string) => learned(parameter) !== 'refused';
  // Not all servers list `_tag`, which every resource has.
  if (TAGGED_TYPES.has(type) && works('_tag')) return true;
  // A search that has worked counts more than what the EHR states.
  return FINDING_PARAMETERS.some(
    (parameter) => learned(parameter) === 'works' || (offered.searchParameters.has(parameter) && works(parameter)),
  );
}

/**
 * Whether "nothing found" proves absence: only if the type can be found by its identity, or the server was seen to keep identities. A
 * server that drops identifiers would find nothing, whatever it has.
 */
export function isAbsenceReliable(type: string, { capabilities, facts }: EhrProfile): boolean {
  if (!capabilities.isKnown || capabilities.types.size === 0 || TAGGED_TYPES.has(type)) return true;
  if (factNamed(facts, `names:${type}`) === 'kept') return true;
  const isOffered = capabilities.types.get(type)?.searchParameters.has('identifier') === true;
  return isOffered && factNamed(facts, `search:${type}:identifier`) !== 'refused';
}
