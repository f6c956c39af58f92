// The files of docs/going-live fit the engine: alert rules, systemd unit, proxy.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROJECT } from '../cli/run-cli.ts';
import { NODE_FLAGS } from '../support/engine.ts';
import { findPromtool } from '../support/promtool.ts';

const FOLDER = path.join(PROJECT, 'docs/going-live');
const ALERTS = path.join(FOLDER, 'alerts.yaml');
const textOf = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');
const promtool = await findPromtool();

const duration = z.string().regex(/^\d+[smhd]$/);
const rulesSchema = z.strictObject({
  groups: z.array(
    z.strictObject({
      name: z.string().min(1),
      rules: z.array(
        z.strictObject({
          alert: z.string().regex(/^[A-Z][A-Za-z]+$/),
          expr: z.string().min(1),
          for: duration.optional(),
          labels: z.strictObject({ severity: z.enum(['page', 'ticket', 'info']) }),
          annotations: z.strictObject({ summary: z.string().min(1), action: z.string().min(1) }),
        }),
      ),
    }),
  ),
});

describe('the alert rules', () => {
  const { groups } = rulesSchema.parse(parse(textOf('docs/going-live/alerts.yaml')));
  const rules = groups.flatMap((group) => group.rules);

  if (promtool === undefined) {
    it('have the form of alert rules by a schema of this project, because promtool is not here', () => {
      expect(rules.length).toBeGreaterThan(5);
    });
  } else {
    it('pass promtool check rules', async () => {
      const { stdout } = await promisify(execFile)(promtool, ['check', 'rules', ALERTS]);
      expect(stdout).toContain(`SUCCESS: ${rules.length} rules found`);
    });
  }

  it('use only metrics that the engine has', () => {
    const sources = ['src/platform/metrics.ts', 'src/composition/watch-runs.ts', 'src/composition/open-charts.ts'];
    const known = new Set(sources.flatMap((file) => textOf(file).match(/(?<=')chartwright_\w+(?=')/g) ?? []));
    const used = rules.flatMap(({ expr }) => expr.match(/chartwright_\w+/g) ?? []);
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !known.has(name))).toEqual([]);
  });
});

describe('the systemd unit', () => {
  const unit = textOf('docs/going-live/chartwright.service');

  it('starts the engine with the flags of npm start', () => {
    expect(unit).toContain(`node ${NODE_FLAGS.join(' ')} src/main.ts`);
    expect(textOf('package.json')).toContain(`node ${NODE_FLAGS.join(' ')} src/main.ts`);
  });

  it('gives the engine the time that a stop may take', () => {
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(45);
  });
});

describe('the proxy', () => {
  const proxy = textOf('docs/going-live/nginx.conf');

  it('holds back no stream, and takes the largest recording', () => {
    expect(proxy.match(/proxy_buffering off;/g)).toHaveLength(2);
    expect(Number(/client_max_body_size (\d+)m;/.exec(proxy)?.[1])).toBeGreaterThan(100);
  });
});
