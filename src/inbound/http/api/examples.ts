// Made-up texts and answers for the documentation. The domain's types keep the examples equal to what the engine answers.
import type { PartialDiagnosis } from '../../../domain/diagnosis/diagnosis.ts';
import { eventSourceUrl, streamUrl } from '../../../domain/diagnosis/stream-session.ts';
import type { WrittenNote } from '../../../domain/note/note.ts';
import { TEMPLATE_NAMES } from '../../../domain/note/template.ts';
import type { Conversation } from '../../../domain/recording/conversation.ts';
import { failureBody } from '../server/error-response.ts';

export const exampleHistory =
  '58-year-old man, crushing chest pain for 40 minutes, spreading to the left arm, sweating. Smoker, hypertension.';

export const exampleTemplate = [
  '# Chief Complaint',
  'Why the patient came, in the patient’s own words.',
  '# Plan',
  'Tests, treatment and follow-up.',
  '## Dynamic Fields',
  '- follow_up_date: when the patient is to come back',
].join('\n');

export const examplePartial: PartialDiagnosis = {
  diagnosis: { diseases: [{ name: 'Acute myocardial infarction', probability: 0.78, why: 'Crushing chest pain' }] },
};

const exampleSessionId = '3f1c9a52-8d0e-4f6b-9a57-0c2d4e6f8a10';
export const exampleSession = {
  sessionId: exampleSessionId,
  streamUrl: streamUrl(exampleSessionId),
  eventSourceUrl: eventSourceUrl(exampleSessionId, 'EXAMPLE-NOT-A-TICKET'),
};

const exampleWritten: WrittenNote = {
  note: {
    title: 'Follow-up visit',
    sections: [
      { key: 'SUBJECTIVE', title: 'Subjective', text: 'Cough for three days, no fever.' },
      { key: 'OBJECTIVE', title: 'Objective', text: 'Lungs clear on both sides.' },
      { key: 'ASSESSMENT', title: 'Assessment', text: 'Viral upper respiratory infection.' },
      { key: 'PLAN', title: 'Plan', text: 'Fluids and rest; return if fever develops.' },
    ],
  },
};
export const exampleNote = { note: exampleWritten.note };

export const exampleCustomNote = {
  note: {
    title: 'Follow-up visit',
    sections: [
      { key: 'CHIEF_COMPLAINT', title: 'Chief Complaint', text: '“I have been coughing for three days.”' },
      { key: 'PLAN', title: 'Plan', text: 'Fluids and rest.' },
    ],
  },
  dynamic_fields: { follow_up_date: 'in one week if the cough has not gone' },
};

export const exampleJob = {
  id: '0b6a4f0e-3a55-4d0f-8d0b-5a1f2a9c7e11',
  status: 'queued',
  operation: 'transcribe',
  url: '/jobs/0b6a4f0e-3a55-4d0f-8d0b-5a1f2a9c7e11',
  createdAt: '2026-03-02T10:00:00.000Z',
};

export const exampleDoneJob = {
  ...exampleJob,
  status: 'done',
  startedAt: '2026-03-02T10:00:00.050Z',
  endedAt: '2026-03-02T10:01:10.000Z',
  expiresAt: '2026-03-03T10:01:10.000Z',
  result: {
    status: 200,
    headers: { 'x-chartwright-check': 'supported=1, unsupported=1, contradicted=0, misplaced=0, conflict=0' },
    body: exampleNote,
  },
};

/** The example note, with what `Prefer: include=check` adds. */
export const exampleCheckedNote = {
  ...exampleNote,
  check: {
    statements: [
      {
        section: 'SUBJECTIVE',
        text: 'three days',
        kind: 'number',
        verdict: 'supported',
        effect: 'none',
        said: [{ message: 1, startSeconds: 2.3 }],
      },
      { section: 'SUBJECTIVE', text: 'fever', kind: 'negation', verdict: 'unsupported', effect: 'mark', said: [] },
    ],
    missing: [{ kind: 'allergy', text: 'I cannot take penicillin.', message: 3, startSeconds: 9.8 }],
  },
};

export const exampleConversation: { readonly conversation: Conversation } = {
  conversation: {
    messages: [
      {
        id: '6d7f3c1e-58a4-4b0c-9d2a-1f0e3b5c7a91',
        speaker: 0,
        speaker_label: 'Speaker 1',
        text: 'What brings you here today?',
        start_time: 0.4,
        end_time: 1.9,
        confidence: 0.98,
      },
      {
        id: 'b2a4c6d8-0e1f-4a3b-8c5d-7e9f0a1b2c3d',
        speaker: 1,
        speaker_label: 'Speaker 2',
        text: 'I have been coughing for three days.',
        start_time: 2.3,
        end_time: 4.6,
        confidence: 0.96,
      },
    ],
    metadata: { total_duration: 4.8, total_messages: 2, speaker_count: 2, language: 'en' },
  },
};

/** One body for each kind of failure of the service interface (docs/service-interface.md). */
export const exampleErrors = {
  oneMessage: failureBody(400, 'clinical_history or at least one file in files is required'),
  manyMessages: failureBody(400, [
    'scan.tiff: unsupported file type; JPG, JPEG, PNG, WEBP, GIF and PDF are taken',
    'mri.pdf: the file is larger than 20 MB',
  ]),
  manyParameters: failureBody(400, [
    `template must be one of ${TEMPLATE_NAMES.join(', ')}`,
    'language must be one of en, es, pt',
  ]),
  unauthorized: failureBody(401, 'The API key is missing or invalid'),
  notMedical: failureBody(400, 'The audio has no relevant medical content'),
};
