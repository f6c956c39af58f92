// The limit for runs: from an event to a chart as a team would write it for one hospital, without an engine. It makes the same requests to the
// same EHR and vendors and the same documents, and stores each step's result encrypted, with one statement for each step. It starts again from
// the beginning after a failure, has one site, and no API. HANDS chooses the implementation of the steps. It ends with its parent process.
import { createCipheriv, createSecretKey, randomBytes } from 'node:crypto';
import type { DocumentReference, Encounter, Patient, Resource } from '@medplum/fhirtypes';
import { connect } from 'amqplib';
import pg from 'pg';
import { makeDiagnosisHistory } from '../../../src/domain/history/diagnosis-history.ts';
import { checkNote, markNote } from '../../../src/domain/note/check-note.ts';
import { chooseTemplate } from '../../../src/domain/note/template.ts';
import { readBase } from './base-set.ts';
import { makeBareSteps } from './run-chain-calls.ts';
import { makeOwnSteps } from './run-chain-own.ts';

const AT_ONCE = Number(process.env['WORKERS'] ?? 8);
const { EHR_URL = '', SPEECH_URL = '', MODEL_URL = '', DATABASE_URL = '', AMQP_URL = '', HANDS = 'bare' } = process.env;
/** Two chains at one broker do not consume each other's messages. */
const EXCHANGE = `chain.${HANDS}.events`;
const QUEUE = `chain.${HANDS}.encounters`;

const makeSteps = HANDS === 'own' ? makeOwnSteps : makeBareSteps;
const steps = makeSteps(await readBase(), { ehrUrl: EHR_URL, speechUrl: SPEECH_URL, modelUrl: MODEL_URL });
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: AT_ONCE });
const key = createSecretKey(Buffer.alloc(32, 7));
const template = chooseTemplate({
  noteType: 'PROGRESS_NOTE',
  language: 'en',
  template: undefined,
  customTemplate: undefined,
});
await pool.query('create table events (id text primary key, body bytea not null, ended_at timestamptz)');
await pool.query(
  'create table steps (event text not null, name text not null, result bytea not null, primary key (event, name))',
);
const device = await steps.makeDevice();
await consume();
process.on('disconnect', () => process.exit());
process.send?.('ready');

async function consume(): Promise<void> {
  const connection = await connect(AMQP_URL);
  const channel = await connection.createConfirmChannel();
  await channel.assertExchange(EXCHANGE, 'topic', { durable: true });
  await channel.assertExchange('chain.outcomes', 'topic', { durable: true });
  await channel.assertQueue(QUEUE, { durable: true, arguments: { 'x-queue-type': 'quorum' } });
  await channel.bindQueue(QUEUE, EXCHANGE, 'encounter.#');
  await channel.prefetch(AT_ONCE);
  const tell = (outcome: unknown) =>
    new Promise<void>((resolve, reject) => {
      const content = Buffer.from(JSON.stringify(outcome));
      channel.publish('chain.outcomes', 'documented', content, { persistent: true }, (refused) =>
        refused ? reject(refused) : resolve(),
      );
    });
  await channel.consume(QUEUE, async (message) => {
    if (message === null) return;
    await document(JSON.parse(message.content.toString('utf8')), tell);
    channel.ack(message);
  });
}

async function document(event: Encounter, tell: (outcome: unknown) => Promise<void>): Promise<void> {
  const { id = '' } = event;
  const isNew = await pool.query('insert into events (id, body) values ($1, $2) on conflict do nothing', [
    id,
    seal(id, event),
  ]);
  if (isNew.rowCount === 0) return;
  const keep = async <T>(name: string, result: T): Promise<T> => {
    await pool.query('insert into steps (event, name, result) values ($1, $2, $3)', [
      id,
      name,
      seal(`${id}/${name}`, result),
    ]);
    return result;
  };
  const read = await keep('read-chart', await readChart(id));
  await keep('fetch-recording', { recording: read.recording, type: 'audio/mpeg' });
  const transcript = await keep('transcribe', await steps.transcribe(read.audio));
  const draft = await keep('write-note', await steps.writeNote(transcript, template));
  const history = makeDiagnosisHistory({ transcript, history: '', language: 'en' });
  const diagnosis = await keep('diagnose', await steps.diagnose(history));
  const report = checkNote({ note: draft, transcript, language: 'en', maxUnsupported: {} });
  const { note } = await keep('check', { report, note: markNote({ note: draft, report, language: 'en' }) });
  const { encounter, patient, recording } = read;
  const time = new Date().toISOString();
  const made = await steps.makeDocuments({
    device,
    event: id,
    encounter,
    patient,
    recording,
    transcript,
    note,
    diagnosis,
    time,
  });
  await keep('map', made.kept);
  await askConsent(patient, id);
  await Promise.all(made.queries.map((query) => steps.search(query)));
  const resources = await keep('write-chart', await steps.transact(made.bundle));
  await Promise.all(made.queries.map((query) => steps.search(query)));
  await tell({ encounter: `Encounter/${id}`, patient: `Patient/${patient.id}`, status: 'written', resources });
  await keep('publish', {});
  await pool.query('update events set ended_at = now() where id = $1', [id]);
}

const CONTEXT = (patient: string, encounter: string) => [
  `AllergyIntolerance?patient=${patient}&clinical-status=active&_count=20`,
  `Condition?patient=${patient}&clinical-status=active&_count=20`,
  `MedicationRequest?patient=${patient}&status=active&_count=20`,
  `MedicationStatement?patient=${patient}&status=active&_count=20`,
  `Observation?patient=${patient}&encounter=${encounter}&category=laboratory&_sort=-date&_count=20`,
  `DiagnosticReport?patient=${patient}&encounter=${encounter}&_sort=-date&_count=20`,
];

async function readChart(id: string) {
  const encounter: Encounter = await steps.read(`Encounter/${id}`);
  const patient: Patient = await steps.read(encounter.subject?.reference ?? '');
  const subject = `Patient/${patient.id}`;
  const [recordings] = await Promise.all([
    steps.search(`DocumentReference?encounter=Encounter/${id}&_count=50`),
    steps.search(`Media?encounter=Encounter/${id}&_count=50`),
  ]);
  const [consents, ...context] = await Promise.all(
    [`Consent?patient=${subject}&_count=50`, ...CONTEXT(subject, `Encounter/${id}`)].map((query) =>
      steps.search(query),
    ),
  );
  if (consents?.length !== 0) throw new Error('a consent was not to be here');
  const recording = recordings.find(isRecording);
  const audio = recording?.content?.[0]?.attachment?.url ?? '';
  return { encounter, patient, context, recording: `DocumentReference/${recording?.id}`, audio };
}

function isRecording(resource: Resource): resource is DocumentReference {
  return (
    resource.resourceType === 'DocumentReference' &&
    resource.content[0]?.attachment?.contentType?.startsWith('audio/') === true
  );
}

/** Checks before the write that patient and encounter are unchanged and may be documented. */
async function askConsent(patient: Patient, id: string): Promise<void> {
  const [, , consents] = await Promise.all([
    steps.read(`Encounter/${id}`),
    steps.read(`Patient/${patient.id}`),
    steps.search(`Consent?patient=Patient/${patient.id}&_count=50`),
  ]);
  if (consents.length !== 0) throw new Error('a consent was not to be here');
}

function seal(context: string, value: unknown): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  cipher.setAAD(Buffer.from(context));
  return Buffer.concat([nonce, cipher.update(JSON.stringify(value), 'utf8'), cipher.final(), cipher.getAuthTag()]);
}
