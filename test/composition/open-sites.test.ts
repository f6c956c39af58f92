import { describe, expect, it } from '@jest/globals';
import { openSites } from '../../src/composition/open-sites.ts';
import { readConfig } from '../../src/config.ts';
import { makeMetrics } from '../../src/platform/metrics.ts';
import { makeShutdown } from '../../src/platform/shutdown.ts';
import { makeTracing } from '../../src/platform/tracing/tracing.ts';
import { aMappingsDirectory, MERCY, SMALL_BASE } from '../outbound/files/mappings-directory.ts';
import { aHospital } from '../support/chart-writing.ts';

const BASE = {
  ...SMALL_BASE,
  'base/site.yaml': `${SMALL_BASE['base/site.yaml']}`.replace('mode: live', 'mode: shadow'),
};

/** The warnings of an engine that opens these files after `mercy` has written to its charts. */
async function warningsOf(files: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const { ledger, write } = aHospital();
  await write();
  await using made = await aMappingsDirectory(BASE, files);
  const warnings: string[] = [];
  const ignore = () => undefined;
  const logger = { debug: ignore, info: ignore, warn: (text: string) => void warnings.push(text), error: ignore };
  const shutdown = makeShutdown();
  const config = readConfig({ MAPPINGS_DIR: made.directory });
  const [metrics, tracing] = [makeMetrics(), makeTracing()];
  const context = { config, version: '0.0.0', logger, metrics, tracing, shutdown, isStopping: () => false };
  const extension = { site: 'sandbox', adaptSites: async <T>(loaded: T) => loaded, ready: async () => undefined };
  await openSites(context, { ledger, reasoner: { engine: 'openai:made-up' }, extension });
  await shutdown.run();
  return warnings;
}

const STOPPED = /^mercy: it has written to its charts and writes nothing now: no site\.yaml says its mode/;

describe('the log at the start', () => {
  it('warns of a site that wrote before and is in shadow mode only by default', async () => {
    const warnings = await warningsOf({ 'mercy/site.yaml': MERCY, 'hope/site.yaml': MERCY });
    expect(warnings).toEqual([expect.stringMatching(STOPPED)]);
  });

  it.each(['live', 'shadow', 'off'])('does not warn of a site whose own file says mode: %s', async (mode) => {
    expect(await warningsOf({ 'mercy/site.yaml': `${MERCY}mode: ${mode}\n` })).toEqual([]);
  });

  it('warns of a site that listens to RabbitMQ while AMQP_URL is not set', async () => {
    const settings = `${MERCY}mode: live\nevents: { amqp: { exchange: ehr.events, bindings: ["#"] } }\n`;
    expect(await warningsOf({ 'mercy/site.yaml': settings })).toEqual([
      'mercy listens to RabbitMQ, and AMQP_URL is not set: no event can arrive from there',
    ]);
  });

  it('names the line that shows candidates as active conditions', async () => {
    const condition = `resourceType: Condition
code: { text: "{{ %disease.name }}" }
clinicalStatus: { coding: [{ system: "http://terminology.hl7.org/CodeSystem/condition-clinical", code: active }] }
subject: "{{ %patient.reference() }}"
`;
    const settings = `${MERCY}mode: live\nwrite: { diagnosis: [condition] }\n`;
    const warnings = await warningsOf({ 'mercy/site.yaml': settings, 'mercy/condition.yaml': condition });
    expect(warnings).toEqual([
      expect.stringMatching(/^mercy: .*mercy\/condition\.yaml:3:\d+: a candidate that is not/),
    ]);
  });
});
