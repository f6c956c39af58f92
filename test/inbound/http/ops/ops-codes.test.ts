// Official lists of codes over HTTP.
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { codeListsResponse, importedCodesResponse } from '../../../../src/wire/codes.ts';
import { codeFile } from '../../../flows/codes/code-files.ts';
import { until } from '../../../support/until.ts';
import { OPERATOR_KEY, type OpsEngine, startOpsEngine } from './ops-engine.ts';

let engine: OpsEngine;
beforeEach(async () => {
  engine = await startOpsEngine();
});
afterEach(() => engine.stop());

const authorization = `Bearer ${OPERATOR_KEY}`;

async function put(path: string, body: Uint8Array | string, headers: Record<string, string> = {}) {
  const url = `${engine.baseUrl}/ops/codes/${path}`;
  const response = await fetch(url, { method: 'PUT', headers: { authorization, ...headers }, body: Buffer.from(body) });
  return { status: response.status, answer: JSON.parse(await response.text()) };
}

async function list() {
  const response = await fetch(`${engine.baseUrl}/ops/codes`, { headers: { authorization } });
  const answer = JSON.parse(await response.text());
  expect(codeListsResponse.safeParse(answer).error?.issues).toBeUndefined();
  return answer.lists;
}

describe('/ops/codes', () => {
  it('takes a file, answers with what was imported, and lists it', async () => {
    expect(await list()).toEqual([]);
    const { status, answer } = await put('icd-10', await codeFile('icd10-claml.xml'));
    expect([status, importedCodesResponse.safeParse(answer).error?.issues]).toEqual([200, undefined]);
    const imported = {
      system: 'icd-10',
      version: '2019',
      count: 7,
      categories: 2,
      importedAt: '2026-11-21T08:00:00.000Z',
    };
    expect(answer).toEqual({ ...imported, sha256: expect.any(String), skipped: 2, ignoredModifiers: 1 });
    expect(await list()).toEqual([{ ...imported, sha256: answer.sha256 }]);
    expect((await put('CodeList/icd-10', await codeFile('icd10-claml.xml'))).status).toBe(200);
  });

  it.each([
    ['icd-11?version=2026', 400, ['system must be one of icd-10-cm, icd-10, cie-10-es']],
    ['icd-10-cm', 400, expect.stringContaining('--version 2026')],
    [`icd-10-cm?version=${'x'.repeat(61)}`, 400, [expect.stringContaining('version must be 1 to 60 characters')]],
    ['icd-10-cm?edition=2026', 400, ['unknown fields: "edition"']],
    ['icd-10-cm?version=2026', 400, expect.stringContaining('Line 1: it does not have the columns')],
  ])('refuses a file at %s with %i', async (path, status, message) => {
    expect(await put(path, 'not the order file\n')).toMatchObject({ status, answer: { message } });
    expect(await list()).toEqual([]);
  });

  it('takes the key of the operator only, and no compressed body', async () => {
    expect((await put('icd-10', '', { authorization: 'Bearer x' })).status).toBe(401);
    expect((await put('icd-10', 'x', { 'content-encoding': 'gzip' })).status).toBe(415);
  });

  it('refuses a file that is too large by its length, before it arrives', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { authorization, 'content-length': 210_000_000 };
      const sent = request(`${engine.baseUrl}/ops/codes/icd-10`, { method: 'PUT', headers });
      sent.on('response', (response) => {
        resolve(response.statusCode);
        sent.destroy();
      });
      sent.on('error', reject);
      sent.write('<ClaML>');
    });
    expect(status).toBe(413);
  });

  it('keeps the old list if the client disconnects in the middle of a file, and takes the next one', async () => {
    const file = await codeFile('icd10cm-order.txt');
    await put('icd-10-cm?version=2025', file);
    const sent = request(`${engine.baseUrl}/ops/codes/icd-10-cm?version=2026`, {
      method: 'PUT',
      headers: { authorization },
    });
    sent.on('error', () => undefined);
    sent.write(Buffer.from(file).subarray(0, 200));
    await until(async () => (await put('icd-10-cm?version=2026', file)).status === 409);
    sent.destroy();
    await until(async () => (await put('icd-10-cm?version=2027', file)).status === 200);
    expect(await list()).toMatchObject([{ version: '2027' }]);
    const { entries } = await engine.audit.list({ scope: 'all', action: 'codes.import', limit: 10 });
    expect(entries.map(({ details }) => details?.['version'])).not.toContain('2026');
  });
});
