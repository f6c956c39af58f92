// Takes recordings from an EHR to the speech vendor with the real adapters, in a process of its own, so that what it costs can be
// measured from outside: `recording-reader.ts <address of the EHR> <address of the vendor>`. For each line on its standard input, the
// link of a recording, it writes a line: how many seconds of speech the vendor heard, or what went wrong.
import { createInterface } from 'node:readline';
import type { Language } from '../../src/domain/language.ts';
import { makeFetchRecording } from '../../src/flows/run-steps/fetch-recording.ts';
import { makeDeepgramSpeech } from '../../src/outbound/deepgram/deepgram-speech.ts';
import { openRecording } from '../../src/outbound/fhir/open-recording.ts';
import { makeEhrTransport } from '../../src/outbound/fhir/transport.ts';
import { checkAudioHead } from '../../src/platform/file-check/audio-head.ts';
import { makeHttpFetch } from '../../src/platform/http-fetch.ts';
import { makeFakeEhr } from '../fakes/ehr.ts';
import { aSite } from './chart-facts.ts';

const [ehrUrl = '', vendorUrl = ''] = process.argv.slice(2);
const language: Language = 'en';

const transport = makeEhrTransport({
  site: 'mercy',
  ehr: { baseUrl: ehrUrl, auth: { type: 'none' }, maxConcurrentWrites: 2, headers: {} },
  attachmentOrigins: [],
});
const ehr = { ...makeFakeEhr(), openRecording: openRecording({ transport, site: 'mercy', baseUrl: ehrUrl }) };
const fetchRecording = makeFetchRecording({ ehrs: { of: () => ehr }, checkAudioHead });
const speech = makeDeepgramSpeech({
  apiKey: 'test',
  baseUrl: vendorUrl,
  models: { en: 'nova', es: 'nova', pt: 'nova' },
  baseTimeoutMs: 120_000,
  fetch: makeHttpFetch(),
});

const signal = new AbortController().signal;
process.stdout.write('ready\n');
for await (const url of createInterface({ input: process.stdin })) {
  try {
    const bytes = { kind: 'link', url } as const;
    const source = { reference: 'Media/m-1', contentType: 'audio/wav', bytes };
    const recording = await fetchRecording({ site: aSite(), source }, signal);
    const { durationSeconds } = await speech.transcribe({ recording, language }, signal);
    process.stdout.write(`heard ${durationSeconds}\n`);
  } catch (error) {
    process.stdout.write(`failed ${error}\n`);
  }
}
transport.close();
