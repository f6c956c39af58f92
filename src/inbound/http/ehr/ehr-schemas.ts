// The requests and answers below /ehr/{site}. The schemas validate, and describe them in the OpenAPI document.
import { z } from 'zod';
import { readNamedPatient, referenceTo, type UploadDetails } from '../../../domain/event/upload.ts';
import { spanOf } from '../../../domain/fhir-time.ts';
import { LANGUAGES } from '../../../domain/language.ts';
import { NOTE_TYPES, TEMPLATE_NAMES } from '../../../domain/note/template.ts';
import { present } from '../../../domain/present.ts';
import { RUN_STATUSES } from '../../../domain/run/run.ts';
import { diagnosisResponse, exampleDiagnosis } from '../../../wire/diagnosis.ts';
import { type Answer, emptyAsAbsent } from '../../../wire/fields.ts';
import { written } from '../../../wire/run.ts';

const LANGUAGE_WORDS = [...LANGUAGES, 'detect'] as const;

function choice<const Name extends string>(names: readonly Name[], description: string) {
  const rule = { error: `must be one of ${names.join(', ')}` };
  return emptyAsAbsent(z.enum(names, rule).optional().meta({ description }));
}

/** An optional text that `read` understands. */
function form<Value>(read: (text: string) => Value | undefined, rule: string, meta: z.GlobalMeta) {
  const schema = z
    .string({ error: rule })
    .refine((text) => read(text) !== undefined, { error: rule })
    .transform((text) => read(text))
    .optional()
    .meta(meta);
  return emptyAsAbsent(schema);
}

/** Sessions of recordings that the engine finds in a chart are named `s-<hash>`; a caller must not use such a name. */
function readSession(text: string): string | undefined {
  return /^(?!s-[0-9a-f]{24}$)[A-Za-z0-9._-]{1,64}$/.test(text) ? text : undefined;
}

/** The text fields of an upload. All are optional here, because they can follow the recording in the form. */
export const uploadFields = z.object({
  patient: form(readNamedPatient, 'must be an id, Patient/<id>, or a record number as system|value', {
    description:
      'The patient of the recording: an id, `Patient/<id>`, or a record number as `system|value`. It must be the patient of the encounter. Required, unless the site has `upload.identityCheck: off`.',
    examples: ['Patient/1', 'urn:oid:1.2.3|4711'],
  }),
  note_type: choice(NOTE_TYPES, 'Type of the note. Default: the setting of the site for such encounters.'),
  template: choice(TEMPLATE_NAMES, 'Overrides the default template of the type of note.'),
  language: choice(LANGUAGE_WORDS, 'The spoken language. Default: the setting of the site.'),
  session: form(
    readSession,
    'must be 1 to 64 of A-Z, a-z, 0-9, ".", "_" and "-", and not the name of a session that the engine makes (s-…)',
    {
      description:
        'Name of the session within the encounter; each session has one note. Default: derived from the recording, so that the same recording is not documented twice.',
      examples: ['visit-1'],
    },
  ),
  recordedAt: form(
    (text) => (spanOf(text, 'UTC') === undefined ? undefined : text),
    'must be a date or time like 2027-01-31T09:30:00+01:00',
    { description: 'Time of the recording: a FHIR dateTime.', examples: ['2027-01-31T09:30:00+01:00'] },
  ),
  practitioner: form((text) => referenceTo('Practitioner', text), 'must be an id or Practitioner/<id>', {
    description: 'Who recorded it. Default: the practitioner of the encounter.',
    examples: ['Practitioner/7'],
  }),
});

export function toDetails({ note_type: noteType, ...fields }: z.output<typeof uploadFields>): UploadDetails {
  return present({ ...fields, noteType });
}

export const encounterPath = z.object({
  site: z.string().meta({ description: 'Name of the site.', examples: ['mercy'] }),
  id: z.string().meta({ description: 'Id of the encounter in the EHR.', examples: ['123'] }),
});

export const runPath = z.object({
  site: z.string().meta({ description: 'Name of the site.', examples: ['mercy'] }),
  id: z.string().meta({
    description: 'The `runId` from the answer to the upload.',
    examples: ['0b9f6c1e-7a35-4c52-9d0e-5f1a2b3c4d5e'],
  }),
});

export const resourcePath = z.object({
  site: z.string().meta({ description: 'Name of the site.', examples: ['mercy'] }),
  type: z.string().meta({ description: 'Type of the resource.', examples: ['Encounter'] }),
  id: z.string().meta({ description: 'Id of the resource in the EHR.', examples: ['123'] }),
});

export const uploadResponse = z
  .object({ runId: z.string().meta({ description: 'Id of the run, to ask for its state.' }) })
  .meta({ id: 'TakenRecording', examples: [{ runId: '0b9f6c1e-7a35-4c52-9d0e-5f1a2b3c4d5e' }] });

export const notificationResponse = z
  .object({
    outcome: z.enum(['accepted', 'repeated', 'nothing']).meta({
      description: '`repeated`: it was received before. `nothing`: it was understood, and there is nothing to process.',
    }),
  })
  .meta({ id: 'NotificationOutcome', examples: [{ outcome: 'accepted' }] });

/** A FHIR resource, a Bundle, a CloudEvent or a short JSON event; no single schema describes all of them. */
export const notificationBody = z.record(z.string(), z.unknown()).meta({
  id: 'Notification',
  examples: [{ eventId: 'e-1', encounter: 'Encounter/123', status: 'finished', occurredAt: '2027-01-31T09:30:00Z' }],
});

export const shownRunResponse = z
  .object({
    runId: z.string(),
    status: z.enum(RUN_STATUSES),
    reason: z
      .string()
      .optional()
      .meta({ description: 'Code of the reason why the run waits, was skipped, is held or parked.' }),
    message: z.string().optional().meta({ description: 'The reason in plain words.' }),
    advice: z.string().optional().meta({ description: 'What to do next.' }),
    encounter: z.string(),
    session: z.string().optional().meta({ description: 'Absent until the encounter was read.' }),
    replayedBy: z.string().optional().meta({
      description: 'The replay that has written the session of this parked run; its state has the resources.',
    }),
    resources: z.array(written).optional().meta({ description: 'The resources in the chart.' }),
    diagnosis: diagnosisResponse.optional().meta({
      description: 'Present once written, if the site keeps the differential in the engine.',
    }),
  })
  .meta({
    id: 'RunState',
    examples: [
      {
        runId: '0b9f6c1e-7a35-4c52-9d0e-5f1a2b3c4d5e',
        status: 'written',
        encounter: 'Encounter/123',
        session: 'visit-1',
        resources: [{ document: 'document-reference', reference: 'DocumentReference/9', status: 'created' }],
        diagnosis: exampleDiagnosis,
      },
    ],
  });
export type RunStateAnswer = Answer<typeof shownRunResponse>;
