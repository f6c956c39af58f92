// The resource types of the sandbox's EHR with their search parameters (those of R4 that are needed). All other types and parameters are
// refused.

export type SearchParameterKind = 'token' | 'reference' | 'date' | 'string' | 'uri';
export type SearchParameter = { readonly kind: SearchParameterKind; readonly paths: readonly string[] };

type TypeRules = {
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
    search: {
      identifier,
      ...ofPatient,
      code,
      date: date('recordedDate'),
      'clinical-status': token('clinicalStatus'),
      'verification-status': token('verificationStatus'),
    },
  },
  AuditEvent: {
    search: {
      date: date('recorded'),
      patient: reference('entity.what'),
      agent: reference('agent.who'),
      entity: reference('entity.what'),
      action: token('action'),
      type: token('type'),
    },
  },
  Binary: { search: {} },
  Communication: {
    search: { identifier, ...ofSubject, ...inEncounter, status, category, sent: date('sent') },
  },
  Composition: {
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
    search: { identifier, ...ofPatient, status, category, scope: token('scope'), date: date('dateTime') },
  },
  Device: {
    search: { identifier, ...ofPatient, status, type: token('type'), manufacturer: text('manufacturer') },
  },
  DiagnosticReport: {
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
    search: { identifier, ...ofSubject, ...inEncounter, author: reference('author'), date: date('period') },
  },
  Immunization: { search: { identifier, ...ofPatient, status } },
  Location: { search: { identifier, name: text('name'), status } },
  Media: {
    search: {
      identifier,
      ...ofSubject,
      ...inEncounter,
      status,
      type: token('type'),
      created: date('createdDateTime', 'createdPeriod'),
    },
  },
  Medication: { search: { identifier, code, status } },
  MedicationRequest: {
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
  Organization: { search: { identifier, name: text('name') } },
  Patient: {
    search: {
      ...person,
      birthdate: date('birthDate'),
      gender: token('gender'),
      active: token('active'),
      link: reference('link.other'),
    },
  },
  Practitioner: { search: { ...person, active: token('active') } },
  PractitionerRole: {
    search: { identifier, practitioner: reference('practitioner'), organization: reference('organization') },
  },
  Procedure: { search: { identifier, ...ofSubject, ...inEncounter, status, code } },
  Provenance: {
    search: {
      target: reference('target'),
      agent: reference('agent.who'),
      entity: reference('entity.what'),
      recorded: date('recorded'),
    },
  },
  RiskAssessment: {
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
    search: { identifier, ...ofSubject, ...inEncounter, status, intent: token('intent'), code },
  },
  Subscription: {
    search: { status, url: { kind: 'uri', paths: ['channel.endpoint'] }, criteria: text('criteria') },
  },
  Task: {
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
