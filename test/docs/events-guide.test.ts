// Tests docs/events.md against the program: it has every alarm, outcome and ADT event, and its examples are what the engine understands
// and publishes.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { environmentSchema } from '../../src/config.ts';
import type { RawDelivery } from '../../src/domain/event/delivery.ts';
import { ATTENTION_CAUSES, OUTCOME_KINDS, type OutcomeEvent } from '../../src/domain/run/outcome-event.ts';
import { makeUnderstandEvent } from '../../src/flows/intake/understand-event.ts';
import type { FeedAlarm } from '../../src/ports/feeds.ts';
import { runProgram } from '../cli/mappings/mappings-program.ts';
import { aSite } from '../support/chart-facts.ts';
import { typedCommands } from '../support/typed-commands.ts';

const page = readFileSync(path.join(import.meta.dirname, '../../docs/events.md'), 'utf8');
const section = (title: string) => page.split(/^## /m).find((text) => text.startsWith(title)) ?? '';

// These are records so that the compiler reports a missing entry.
const ALARMS: Record<FeedAlarm, true> = {
  silent: true,
  'no-heartbeat': true,
  subscription: true,
  'catch-up': true,
  topology: true,
};
const OUTCOME_FIELDS: Record<keyof OutcomeEvent, true> = {
  runId: true,
  site: true,
  encounter: true,
  patient: true,
  session: true,
  status: true,
  resources: true,
  occurredAt: true,
  because: true,
  movedTo: true,
};

const live = aSite();
const ehr = {
  baseUrl: 'https://ehr.example.org/fhir',
  auth: { type: 'none' },
  maxConcurrentWrites: 2,
  headers: {},
} as const;
const identifiers = { visit: 'urn:oid:1.2.4', mrn: 'urn:oid:1.2.3' };
const site = { ...live, settings: { ...live.settings, ehr, identifiers } };
const understand = makeUnderstandEvent();

function understood(contentType: string, body: string) {
  const delivery: RawDelivery = {
    source: 'push',
    contentType,
    headers: {},
    body: Buffer.from(body),
    receivedAt: new Date('2026-03-02T10:00:00Z'),
  };
  return understand(site, delivery);
}

function anAdt(event: string): string {
  const visit = ['PV1', '1', 'O', ...Array.from({ length: 16 }, () => ''), 'V-77'].join('|');
  return [
    `MSH|^~\\&|ADT|MERCY|CW|CW|20260302100000||ADT^${event}|MSG1|P|2.5`,
    `EVN|${event}|20260302100000`,
    'PID|1||12345^^^MERCY^MR',
    visit,
    '',
  ].join('\r');
}

/** Expands `A01–A03, A11` to a list. */
function listed(text: string): readonly string[] {
  return [...text.matchAll(/A(\d\d)(?:–A(\d\d))?/g)].flatMap(([, first, last = first]) => {
    const length = Number(last) - Number(first) + 1;
    return Array.from({ length }, (_, at) => `A${String(Number(first) + at).padStart(2, '0')}`);
  });
}

describe('the guide to events', () => {
  it('has a table row for each alarm of a feed, and no other row', () => {
    const rows = [...section('Silent feeds').matchAll(/^\| `([\w-]+)` \|/gm)].map(([, name]) => name);
    expect(rows.toSorted()).toEqual(Object.keys(ALARMS).toSorted());
  });

  it('names every kind of outcome event', () => {
    const names = [...section('Outcome events').matchAll(/`(?:<site>\.encounter)?\.(\w+)`/g)];
    expect(names.map(([, name]) => name).toSorted()).toEqual([...OUTCOME_KINDS].toSorted());
  });

  it('has a table row for each cause of an attention event, and no other row', () => {
    const rows = [...section('Outcome events').matchAll(/^\| `([\w-]+)` \| \w/gm)].map(([, name]) => name);
    expect(rows.slice(1)).toEqual(ATTENTION_CAUSES);
  });

  it('names exactly the ADT events that the engine processes', () => {
    const [, named = ''] =
      /ACK[\s\S]*?((?:A\d\d[–, and]*)+)\s+are\s+processed/.exec(section('Pushes and HL7 v2')) ?? [];
    const all = Array.from({ length: 62 }, (_, at) => `A${String(at + 1).padStart(2, '0')}`);
    const processed = all.filter((event) => understood('application/hl7-v2', anAdt(event)).kind === 'encounters');
    expect(listed(named)).toEqual(processed);
  });

  it('shows an outcome event with exactly its fields', () => {
    const [, example = ''] = /```json\n([\s\S]*?)```/.exec(section('Outcome events')) ?? [];
    expect(Object.keys(JSON.parse(example)).toSorted()).toEqual(Object.keys(OUTCOME_FIELDS).toSorted());
  });

  it('shows a push that the engine understands', () => {
    const [, body = ''] = /-d '([^']+)'/.exec(section('Pushes and HL7 v2')) ?? [];
    expect(understood('application/json', body)).toMatchObject({
      kind: 'encounters',
      eventId: 'e-1',
      encounters: [{ encounter: 'Encounter/123' }],
    });
  });

  it('has only examples that are valid YAML', () => {
    const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?)^```$/gm)].map(([, body = '']) => parse(body));
    expect(blocks.length).toBeGreaterThan(4);
    for (const block of blocks) expect(typeof block).toBe('object');
  });

  it('names only existing settings', () => {
    const named = [...page.matchAll(/`(?:[^`]*<)?([A-Z]+_[A-Z_]+)\b[^`]*`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(3);
    expect(named.filter((name) => !(name in environmentSchema.shape))).toEqual([]);
  });

  it('names only existing commands', async () => {
    const inline = [...page.matchAll(/`(npm run cli -- [^`]+)`/g)].map(([, line = '']) => line).join('\n');
    const typed = typedCommands(`${page}\n${inline}`);
    expect(typed.length).toBeGreaterThan(2);
    for (const { words } of typed) {
      const { stderr } = await runProgram(words, { environment: NO_ENGINE });
      expect([words.join(' '), stderr]).toEqual([words.join(' '), expect.stringMatching(/No engine answers/)]);
    }
  });
});

const NO_ENGINE = { CHARTWRIGHT_URL: 'http://127.0.0.1:1', OPERATOR_KEY: 'an-operator-key-that-is-made-up-for-tests' };
