// Tests how a chart is shown to a person: urgency comes first, nothing is called safe, and a draft is called a draft.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Resource } from '@medplum/fhirtypes';
import { asRetired } from '../../../src/domain/chart/existing-resource.ts';
import { type OpsEngine, startOpsEngine } from '../../inbound/http/ops/ops-engine.ts';
import type { Person } from '../mappings/mappings-program.ts';
import { lines, typeCommand } from '../ops-person.ts';
import { aChart } from './sandbox-charts.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const VISIT = 'en-migraine';
const show = (person?: Person, visit = VISIT) => typeCommand(engine.baseUrl, `sandbox show ${visit}`, person);

function write(written: string, more: Omit<Parameters<typeof aChart>[0], 'written' | 'visit'> = {}): void {
  engine.hospital.fillChart(VISIT, aChart({ written, visit: VISIT, ...more }));
}

describe('sandbox show', () => {
  it('names the patient, the clinician and the time, in lines that fit a terminal', async () => {
    write('approved-note');
    const { code, stdout, stderr } = await show();
    expect([code, stderr]).toEqual([0, '']);
    expect(lines(stdout).slice(0, 4)).toEqual([
      'Ana María Fixture, 57 years, female',
      `Encounter/${VISIT}, Emergency visit, emergency, finished, 2026-03-02 09:00 UTC to 09:15 UTC`,
      'Seen by Meredith Example (Physician)',
      'Complaint: Tightness in the chest',
    ]);
    expect(Math.max(...lines(stdout).map((line) => line.length))).toBeLessThanOrEqual(98);
    expect(stdout).not.toContain('\u001b');
  });

  it('shows RED before the note, with the reason and what to do, in the language of the note', async () => {
    write('emergency-red');
    const { stdout } = await show();
    const text = lines(stdout);
    const red = text.findIndex((line) => line.includes('*** RED *** Atención urgente: triaje ROJO por IA'));
    expect(red).toBeGreaterThan(0);
    expect(text.slice(red + 1, red + 3)).toEqual([
      '  Dolor torácico opresivo con sudoración.',
      '  Valoración inmediata.',
    ]);
    expect(red).toBeLessThan(text.findIndex((line) => line.startsWith('Nota de urgencias')));
    expect(stdout).not.toContain('no statement of safety');
  });

  it('colours RED if the terminal has colours', async () => {
    write('emergency-red');
    expect((await show({ isColored: true })).stdout).toContain('\u001b[1;37;41m*** RED *** Atención urgente');
  });

  it('does not present WHITE as a statement of safety', async () => {
    write('approved-note', { change: (resource) => (resource.resourceType === 'Flag' ? notRed(resource) : resource) });
    expect((await show()).stdout).toContain('No urgent sign was found by the model; this is no statement of safety.');
    const byRules = (resource: Resource): Resource =>
      resource.resourceType === 'Device' ? { ...resource, type: { text: 'Rule-based software' } } : notRed(resource);
    write('approved-note', { change: byRules });
    expect((await show()).stdout).toContain('No urgent sign was found by rules; this is no statement of safety.');
    write('nursing-note');
    expect((await show()).stdout).toContain('Nothing is flagged as urgent; this is no statement of safety.');
  });

  it('does not hide a RED that was retracted', async () => {
    write('emergency-red', {
      change: (resource) => (resource.resourceType === 'Flag' ? (asRetired(resource) ?? resource) : resource),
    });
    const { stdout } = await show();
    expect(stdout).toContain('An earlier flag was retracted.');
    expect(stdout).toContain('Retracted   1 Flag (entered in error)');
    expect(stdout).not.toContain('*** RED');
  });

  it('shows the note by its sections, and the AI notice once', async () => {
    write('emergency-red');
    const { stdout } = await show();
    const notice = 'BORRADOR DE IA SIN REVISAR';
    expect(stdout.split(notice)).toHaveLength(2);
    expect(stdout).toContain('Motivo de consulta\n  Dolor torácico desde hace una hora.\n');
    // A section within a section comes below it.
    expect(stdout).toMatch(/^Evaluación\n\n {2}Diagnóstico diferencial\n {4}\S/m);
  });

  it('shows the text of the document if there is no Composition', async () => {
    write('approved-note', {
      change: (resource) => (resource.resourceType === 'Composition' ? { resourceType: 'Basic', code: {} } : resource),
    });
    const { stdout } = await show();
    expect(stdout).toContain('\n  ASSESSMENT\n  Unstable angina cannot be ruled out.\n');
    expect(stdout).toContain('Signed by   Meredith Example\n');
  });

  it('shows the differential with bars, codes and the state of each disease', async () => {
    write('emergency-red');
    const { stdout } = await show();
    expect(stdout).toMatch(/^███████ {5}70 % {2}Infarto agudo de miocardio {2}I21\.9 {2}differential$/m);
    expect(stdout).toContain('none of them confirmed');
    write('progress-note');
    const { stdout: other } = await show();
    expect(other).toMatch(/^██████▎ {5}62 % {2}Community-acquired pneumonia {2}J18\.9 {2}differential$/m);
    expect(other).toMatch(/^███ {9}30 % {2}Acute bronchitis {14}J20\.9 {2}differential$/m);
  });

  it('shows no state of a candidate that is not likely enough for a Condition', async () => {
    write('emergency-red');
    expect((await show()).stdout).toMatch(/^▊ {12}7 % {2}Disección de aorta {10}I71\.0$/m);
  });

  it('counts retracted conditions, and shows them nowhere else', async () => {
    write('emergency-red', {
      change: (resource) => (resource.id === 'condition' ? (asRetired(resource) ?? resource) : resource),
    });
    const { stdout } = await show();
    expect(stdout).toMatch(/70 % {2}Infarto agudo de miocardio {2}I21\.9$/m);
    expect(stdout).toContain('Retracted   1 Condition (entered in error)');
  });

  it('says what wrote the note, from which recording, and who signed it', async () => {
    write('approved-note');
    const { stdout } = await show();
    expect(stdout).toContain(
      'Written by  Chartwright (example-model): engine Chartwright 0.0.0, model example-model 1\n',
    );
    expect(stdout).toContain('Signed by   Meredith Example, 2026-05-05 11:30 +02:00\n');
    expect(stdout).toContain('Recording   “The whole encounter”, 1:05 (DocumentReference/rec-5)\n');
    expect(stdout).toContain('Provenance  Provenance/provenance, revise, 2026-05-05 11:30 +02:00\n');
    expect(stdout).not.toContain('Draft:');
  });

  it('calls a draft a draft', async () => {
    write('emergency-red');
    expect((await show()).stdout).toContain('\nDraft: not reviewed.\n');
  });

  it('names an earlier version, and does not show it as the note', async () => {
    const earlier: Resource = {
      ...compositionOf('approved-note'),
      id: 'before',
      date: '2026-05-05T09:00:00Z',
      title: 'An earlier title',
    };
    write('approved-note', {
      change: (resource) =>
        resource.resourceType === 'Composition'
          ? { ...resource, relatesTo: [{ code: 'replaces', targetReference: { reference: 'Composition/before' } }] }
          : resource,
      besides: [earlier],
    });
    const { stdout } = await show();
    expect(stdout).toContain('Replaces    Composition/before\n');
    expect(stdout).not.toContain('An earlier title');
  });

  it('does not show an entry that was retracted completely as a note', async () => {
    write('emergency-red', { change: (resource) => asRetired(resource) ?? resource });
    const { stdout } = await show();
    expect(stdout).toContain('RETRACTED: this entry was entered in error.');
    expect(stdout).not.toContain('Dolor torácico desde');
    expect(stdout).not.toContain('no statement of safety');
  });

  it('shows a note for each session', async () => {
    const later = { ...compositionOf('approved-note'), id: 'later', title: 'Afterwards', date: '2026-05-06T09:00:00Z' };
    const identifier = { system: 'urn:chartwright:sandbox', value: `${VISIT}/s-later/composition` };
    write('approved-note', { besides: [{ ...later, identifier }] });
    const { stdout } = await show();
    expect(stdout.indexOf('Note 1 of 2')).toBeGreaterThan(0);
    expect(stdout.indexOf('Note 2 of 2')).toBeLessThan(stdout.indexOf('Afterwards (final)'));
  });

  it('replaces control characters and shows markup as text', async () => {
    const hostile = '\u001b[2J\u0007\u202eetihw <script>alert(1)</script>';
    write('approved-note', {
      change: (resource) => {
        const text = JSON.stringify(resource).replaceAll('Unstable angina', JSON.stringify(hostile).slice(1, -1));
        return JSON.parse(text);
      },
    });
    for (const isColored of [false, true]) {
      const { stdout } = await show({ isColored });
      for (const hidden of ['\u001b[2J', '\u0007', '\u202e']) expect(stdout).not.toContain(hidden);
      expect(stdout).toContain('etihw');
    }
  });

  it('gives programs the Bundle itself', async () => {
    write('emergency-red');
    const { stdout, stderr } = await typeCommand(engine.baseUrl, `--json sandbox show Encounter/${VISIT}`);
    expect(JSON.parse(stdout)).toEqual(engine.hospital.chart(VISIT));
    expect(stderr).toBe('');
  });
});

describe('sandbox show of a visit without documents', () => {
  beforeEach(() => {
    const all = aChart({ written: 'nursing-note', visit: VISIT });
    const entry = all.entry?.filter(({ resource }) => !JSON.stringify(resource).includes('urn:chartwright:sandbox'));
    engine.hospital.fillChart(VISIT, { ...all, entry: entry ?? [] });
  });

  it('says how to finish a visit that is still open', async () => {
    const { code, stdout } = await show();
    expect(code).toBe(0);
    expect(stdout).toContain('Recording: “The whole encounter”, 1:05 (DocumentReference/rec-5)\n');
    expect(stdout).toContain(
      `The chart has no documents yet.\nThe visit is still open. Finish it: npm run cli -- sandbox finish ${VISIT}\n`,
    );
  });

  it('shows for a finished visit the state of its run, and what to do next', async () => {
    await engine.hospital.finish(VISIT);
    const { code, stdout } = await show();
    expect(code).toBe(0);
    expect(stdout).toMatch(/The chart has no documents yet\.\n.*en-migraine.*\n/);
    expect(stdout).toContain('What to do: ');
  });

  it('reports that a visit does not exist', async () => {
    const { code, stderr } = await show({}, 'nobody');
    expect([code, stderr]).toEqual([1, 'There is no such encounter in the sandbox\n']);
    expect((await show({}, 'a/b')).stderr).toContain('List the visits: npm run cli -- sandbox list');
  });
});

function notRed(resource: Resource): Resource {
  return resource.resourceType === 'Flag' ? { ...resource, code: { text: 'Something else' } } : resource;
}

function compositionOf(written: string): Resource & { resourceType: 'Composition' } {
  const found = aChart({ written, visit: VISIT }).entry?.flatMap(({ resource }) =>
    resource?.resourceType === 'Composition' ? [resource] : [],
  );
  const [composition] = found ?? [];
  if (composition === undefined) throw new Error('the golden test has no Composition');
  return composition;
}
