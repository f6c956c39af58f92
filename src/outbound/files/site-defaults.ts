// The engine's default settings. They are written as a site.yaml, so that they are read, checked and replaced like one.

/** The file name in the place of a default. */
export const DEFAULTS_FILE = 'built-in defaults';

export const SITE_DEFAULTS = `
mode: shadow
timeZone: UTC
pilot: { practitioners: [], locations: [], services: [] }
identifiers: {}
events: {}
trigger: "status = 'finished'"
recording:
  from: [DocumentReference, Media]
  group: encounter
  settle: 5s
  wait: 2h
  late: new-session
  minSeconds: 5
  maxHours: 4
  origins: []
language: { speech: en, note: en, unsupported: hold }
noteType: { default: PROGRESS_NOTE, EMER: ED_NOTE }
consent: { recording: opt-out, unknown: proceed }
sensitive: []
engines: { allow: [vendor] }
check: { maxUnsupported: { drug: 0, dose: 0, allergy: 0, number: 2, attestation: 0 } }
write:
  note: [composition, document-reference]
  diagnosis: [condition, risk-assessment, flag]
  provenance: true
  conditions: likely
  probability: number
  differential: resources
  review: preliminary
upload: { identityCheck: on }
review: { by: task }
codes: {}
`;
