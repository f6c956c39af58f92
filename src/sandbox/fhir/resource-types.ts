// What the sandbox's EHR takes: its types, what each must have, and what each can be searched by (R4's own search parameters, as far
// as they are needed). What is not here is refused.

export type SearchParameterKind = 'token' | 'reference' | 'date' | 'string' | 'uri';
export type SearchParameter = { readonly kind: SearchParameterKind; readonly paths: readonly string[] };

type TypeRules = {
  /** Elements without which it is refused; `medication[x]` for one of several types. */
  readonly required: readonly string[];
  readonly search: Readonly<Record<string, SearchParameter>>;
};

const token = (...paths: readonly string[]): SearchParameter => ({ kind: 'token', paths });
const reference = (...paths: readonly string[]): SearchParameter => ({ kind: 'reference', paths });
const date = (...paths: readonly string[]): SearchParameter => ({ kind: 'date', paths });
const text = (...paths: readonly string[]): SearchParameter => ({ kind: 'string', paths });

const COMMON: Readonly<Record<string, SearchParameter>> = {
  _id: token('id'),
  _lastUpdated: date('meta.lastUpdated'),
  _tag: token('meta.tag'),
  _security: token('meta.security'),
  _profile: { kind: 'uri', paths: ['meta.profile'] },
};

const identifier = token('identifier');
const status = token('status');
const code = token('code');
const category = token('category');
const ofSubject = { patient: reference('subject'), subject: reference('subject') };
const ofPatient = { patient: reference('patient') };
const inEncounter = { encounter: reference('encounter') };
const person = { identifier, name: text('name'), family: text('name.family'), given: text('name.given') };

export const RESOURCE_TYPES: Readonly<Record<string, TypeRules>> = {
  AllergyIntolerance: {
    required: ['patient'],
    search: {
      identifier,
      ...ofPatient,
      code,
      date: date('recordedDate'),
      'clinical-status': token('clinicalStatus'),
      'verification-status': token('verificationStatus'),
    },
  },
  Binary: { required: ['contentType'], search: {} },
  Communication: {
    required: ['status'],
    search: { identifier, ...ofSubject, ...inEncounter, status, category, sent: date('sent') },
  },
  Composition: {
    required: ['status', 'type', 'date', 'author', 'title'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      category,
      type: token('type'),
      date: date('date'),
      author: reference('author'),
    },
  },
  Condition: {
    required: ['subject'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      code,
      category,
      'clinical-status': token('clinicalStatus'),
      'verification-status': token('verificationStatus'),
      'recorded-date': date('recordedDate'),
      'onset-date': date('onsetDateTime', 'onsetPeriod'),
    },
  },
  Consent: {
    required: ['status', 'scope', 'category'],
    search: { identifier, ...ofPatient, status, category, scope: token('scope'), date: date('dateTime') },
  },
  Device: {
    required: [],
    search: { identifier, ...ofPatient, status, type: token('type'), manufacturer: text('manufacturer') },
  },
  DiagnosticReport: {
    required: ['status', 'code'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      code,
      category,
      date: date('effectiveDateTime', 'effectivePeriod'),
    },
  },
  DocumentReference: {
    required: ['status', 'content'],
    search: {
      identifier,
      ...ofSubject,
      encounter: reference('context.encounter'),
      related: reference('context.related'),
      status,
      category,
      type: token('type'),
      date: date('date'),
      period: date('context.period'),
      author: reference('author'),
      relatesto: reference('relatesTo.target'),
      contenttype: token('content.attachment.contentType'),
    },
  },
  Encounter: {
    required: ['status', 'class'],
    search: {
      identifier,
      ...ofSubject,
      status,
      class: token('class'),
      type: token('type'),
      date: date('period'),
      participant: reference('participant.individual'),
      practitioner: reference('participant.individual'),
      location: reference('location.location'),
      'part-of': reference('partOf'),
    },
  },
  Flag: {
    required: ['status', 'code', 'subject'],
    search: { identifier, ...ofSubject, ...inEncounter, author: reference('author'), date: date('period') },
  },
  Immunization: { required: ['status', 'vaccineCode', 'patient'], search: { identifier, ...ofPatient, status } },
  Location: { required: [], search: { identifier, name: text('name'), status } },
  Media: {
    required: ['status', 'content'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      type: token('type'),
      created: date('createdDateTime', 'createdPeriod'),
    },
  },
  Medication: { required: [], search: { identifier, code, status } },
  MedicationRequest: {
    required: ['status', 'intent', 'medication[x]', 'subject'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      intent: token('intent'),
      authoredon: date('authoredOn'),
      medication: reference('medicationReference'),
    },
  },
  MedicationStatement: {
    required: ['status', 'medication[x]', 'subject'],
    search: {
      identifier,
      ...ofSubject,
      status,
      context: reference('context'),
      effective: date('effectiveDateTime', 'effectivePeriod'),
      medication: reference('medicationReference'),
    },
  },
  Observation: {
    required: ['status', 'code'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      code,
      category,
      date: date('effectiveDateTime', 'effectivePeriod', 'effectiveInstant'),
    },
  },
  Organization: { required: [], search: { identifier, name: text('name') } },
  Patient: {
    required: [],
    search: {
      ...person,
      birthdate: date('birthDate'),
      gender: token('gender'),
      active: token('active'),
      link: reference('link.other'),
    },
  },
  Practitioner: { required: [], search: { ...person, active: token('active') } },
  PractitionerRole: {
    required: [],
    search: { identifier, practitioner: reference('practitioner'), organization: reference('organization') },
  },
  Procedure: { required: ['status', 'subject'], search: { identifier, ...ofSubject, ...inEncounter, status, code } },
  Provenance: {
    required: ['target', 'recorded', 'agent'],
    search: {
      target: reference('target'),
      agent: reference('agent.who'),
      entity: reference('entity.what'),
      recorded: date('recorded'),
    },
  },
  RiskAssessment: {
    required: ['status', 'subject'],
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      condition: reference('condition'),
      method: token('method'),
      performer: reference('performer'),
      date: date('occurrenceDateTime', 'occurrencePeriod'),
    },
  },
  ServiceRequest: {
    required: ['status', 'intent', 'subject'],
    search: { identifier, ...ofSubject, ...inEncounter, status, intent: token('intent'), code },
  },
  Subscription: {
    required: ['status', 'reason', 'criteria', 'channel'],
    search: { status, url: { kind: 'uri', paths: ['channel.endpoint'] }, criteria: text('criteria') },
  },
  Task: {
    required: ['status', 'intent'],
    search: {
      identifier,
      patient: reference('for'),
      subject: reference('for'),
      ...inEncounter,
      status,
      intent: token('intent'),
      code,
      priority: token('priority'),
      focus: reference('focus'),
      owner: reference('owner'),
      requester: reference('requester'),
      'authored-on': date('authoredOn'),
    },
  },
};

export function searchParametersOf(type: string): Readonly<Record<string, SearchParameter>> {
  return { ...COMMON, ...RESOURCE_TYPES[type]?.search };
}

/** Names of elements without which such a resource is refused, and which this one does not have. */
export function missingElements(type: string, resource: Readonly<Record<string, unknown>>): readonly string[] {
  const has = (name: string) =>
    Object.entries(resource).some(([key, value]) => isNamed(key, name) && value !== undefined && value !== null);
  return (RESOURCE_TYPES[type]?.required ?? []).filter((name) => !has(name));
}

/** `medication[x]` is there as `medicationReference`. */
function isNamed(key: string, name: string): boolean {
  return name.endsWith('[x]') ? key.startsWith(name.slice(0, -3)) : key === name;
}
