// The limits of a diagnosis by docs/service-interface.md: the number and the size of files. The limit itself is allowed; an MB is 1,048,576
// bytes.
import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Engine } from '../support/engine.ts';
import { makeJpeg, makePdf, makePng } from '../support/file-samples.ts';
import { type FormPart, postForm } from '../support/journey-client.ts';
import {
  expectDiagnosis,
  expectError,
  filePart,
  historyPart,
  openDiagnosisSetup,
  sessionOf,
} from '../support/journey-diagnosis.ts';
import { openedForFile } from '../support/opened-for-file.ts';

const MEBIBYTE = 1_048_576;
const KINDS = [
  ['PDF', makePdf],
  ['PNG', makePng],
  ['JPEG', makeJpeg],
] as const;

const setup = openedForFile(openDiagnosisSetup);
let engine: Engine;
let key: string;

beforeAll(async () => {
  engine = await setup.startEngine();
  key = await engine.makeKey();
});

function files(count: number): readonly FormPart[] {
  return Array.from({ length: count }, (_, index) => filePart(`scan-${index + 1}.png`, makePng()));
}

function messagesOf(text: string): readonly string[] {
  return text.split('\n');
}

describe('POST /diagnose', () => {
  it('POST /diagnose accepts ten files, and all of them reach the model', async () => {
    expectDiagnosis(await postForm(engine, '/diagnose', key, [historyPart, ...files(10)]));
    expect(setup.model.requests.at(-1)?.rawBody?.match(/data:image\/png;base64,/g)).toHaveLength(10);
  });

  it('POST /diagnose answers 400 for an eleventh file, and the model is not called', async () => {
    const calls = setup.model.requests.length;
    expect(expectError(await postForm(engine, '/diagnose', key, [historyPart, ...files(11)]), 400)).toContain('10');
    expect(setup.model.requests).toHaveLength(calls);
  });

  it.each(KINDS)('POST /diagnose accepts a %s of exactly 20 MB', async (_, make) => {
    const file = make({ padTo: 20 * MEBIBYTE });
    expect(file).toHaveLength(20 * MEBIBYTE);
    expectDiagnosis(await postForm(engine, '/diagnose', key, [filePart('scan', file)]));
    expect(setup.model.requests.at(-1)?.receivedBytes).toBeGreaterThan((20 * MEBIBYTE * 4) / 3);
  });

  it.each(KINDS)(
    'POST /diagnose answers 400 for a %s of one byte more than 20 MB, and the message names the file and the limit',
    async (_, make) => {
      const file = make({ padTo: 20 * MEBIBYTE + 1 });
      const message = expectError(await postForm(engine, '/diagnose', key, [filePart('scan.one', file)]), 400);
      expect(message).toMatch(/scan\.one.*20 MB/);
    },
  );

  it('POST /diagnose accepts ten files of 20 MB each together', async () => {
    const file = makePdf({ padTo: 20 * MEBIBYTE });
    const parts = Array.from({ length: 10 }, (_, index) => filePart(`letter-${index}.pdf`, file));
    expectDiagnosis(await postForm(engine, '/diagnose', key, [historyPart, ...parts]));
    expect(setup.model.requests.at(-1)?.receivedBytes).toBeGreaterThan((200 * MEBIBYTE * 4) / 3);
  });

  it('POST /diagnose has one entry in its error for each invalid file, and none for a valid file', async () => {
    const answer = await postForm(engine, '/diagnose', key, [
      filePart('large.pdf', makePdf({ padTo: 20 * MEBIBYTE + 1 })),
      filePart('good.png', makePng()),
      filePart('note.txt', Buffer.from('fever')),
    ]);
    const messages = messagesOf(expectError(answer, 400));
    expect(messages).toHaveLength(2);
    expect(messages[0]).toMatch(/large\.pdf.*20 MB/);
    expect(messages[1]).toMatch(/note\.txt.*unsupported file type/);
    expect(answer.text).not.toContain('good.png');
  });
});

describe('POST /diagnose/stream/files', () => {
  it('POST /diagnose/stream/files accepts five files', async () => {
    sessionOf(await postForm(engine, '/diagnose/stream/files', key, [historyPart, ...files(5)]));
  });

  it('POST /diagnose/stream/files answers 400 for a sixth file', async () => {
    const answer = await postForm(engine, '/diagnose/stream/files', key, [historyPart, ...files(6)]);
    expect(expectError(answer, 400)).toContain('5');
  });

  it.each(KINDS)('POST /diagnose/stream/files accepts a %s of exactly 10 MB', async (_, make) => {
    const parts = [filePart('scan', make({ padTo: 10 * MEBIBYTE }))];
    sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts));
  });

  it.each(KINDS)(
    'POST /diagnose/stream/files answers 400 for a %s of one byte more than 10 MB, and the message names the file and the limit',
    async (_, make) => {
      const parts = [filePart('scan.one', make({ padTo: 10 * MEBIBYTE + 1 }))];
      const message = expectError(await postForm(engine, '/diagnose/stream/files', key, parts), 400);
      expect(message).toMatch(/scan\.one.*10 MB/);
    },
  );

  it('POST /diagnose/stream/files accepts five files of 10 MB each together', async () => {
    const file = makePdf({ padTo: 10 * MEBIBYTE });
    const parts = Array.from({ length: 5 }, (_, index) => filePart(`letter-${index}.pdf`, file));
    sessionOf(await postForm(engine, '/diagnose/stream/files', key, parts));
  });

  it('POST /diagnose/stream/files has one entry in its error for each invalid file', async () => {
    const answer = await postForm(engine, '/diagnose/stream/files', key, [
      filePart('large.png', makePng({ padTo: 10 * MEBIBYTE + 1 })),
      filePart('note.txt', Buffer.from('fever')),
    ]);
    const [large, note, ...others] = messagesOf(expectError(answer, 400));
    expect(others).toEqual([]);
    expect(large).toMatch(/large\.png.*10 MB/);
    expect(note).toMatch(/note\.txt.*unsupported file type/);
  });
});
