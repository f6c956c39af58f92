import { describe, expect, it } from '@jest/globals';
import type { Attachment } from '../../src/domain/diagnosis/attachment.ts';
import { AppError } from '../../src/domain/errors.ts';
import { makePdfText } from '../../src/platform/file-check/pdf-text.ts';
import type { NoteAnswer, NoteRequest } from '../../src/ports/reasoner.ts';
import { makeRulesReasoner, type RulesReasonerParts } from '../../src/rules/rules-reasoner.ts';
import { makeRulesWork } from '../../src/rules/rules-work.ts';
import { aHistory, aNoteRequest, reasonerContract } from '../contracts/reasoner-contract.ts';
import { asFile, makePdf, pdfStream } from '../support/file-samples.ts';
import { hearClauses, LUNGS } from './reasoning/made-up-knowledge.ts';

const signal = new AbortController().signal;

function aNote({ template, transcript }: NoteRequest): NoteAnswer {
  if (!transcript.utterances.some(({ text }) => text.includes('cough'))) return { isMedical: false };
  const sections = template.sections.map(({ key, title }) => ({ key, title, text: 'Cough.' }));
  const fields = template.dynamicFields.map(({ name }) => [name, 'cough'] as const);
  return {
    isMedical: true,
    note: { title: 'Cough', sections },
    ...(fields.length > 0 && { dynamicFields: Object.fromEntries(fields) }),
  };
}

function aReasoner(parts: Partial<RulesReasonerParts> = {}) {
  const work = makeRulesWork({ knowledge: LUNGS, extractFacts: hearClauses, writeNote: aNote });
  return makeRulesReasoner({
    version: LUNGS.version,
    work: {
      diagnose: async (history) => work.diagnose(history),
      writeNote: async (request) => work.writeNote(request),
    },
    readPdfText: async () => undefined,
    ...parts,
  });
}

function anImage(): Attachment {
  return { type: 'image/png', sizeBytes: 1, open: async function* () {} };
}

function aPdf(words: string): Attachment {
  const content = pdfStream('', Buffer.from(`BT /F1 12 Tf 50 700 Td (${words}) Tj ET`, 'latin1'));
  const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  const page = '/Contents 1000 0 R /Resources << /Font << /F1 1001 0 R >> >>';
  return { type: 'application/pdf', ...asFile(makePdf({ page, objects: [content, font] })) };
}

reasonerContract('the rules', async () => ({
  reasoner: aReasoner(),
  findNothingMedical: () => undefined,
  close: async () => undefined,
}));

describe('The reasoner of the rules', () => {
  it('reports the version of the rules, and of the knowledge as its prompt', () => {
    const reasoner = aReasoner();
    expect(reasoner.engine).toMatch(/^builtin:rules@\d+$/);
    expect(reasoner.prompt).toBe(LUNGS.version);
  });

  it('gives the same answer to the same text', async () => {
    expect(await aReasoner().diagnose(aHistory, signal)).toEqual(await aReasoner().diagnose(aHistory, signal));
  });

  it('reads the text of a PDF', async () => {
    const reasoner = aReasoner({ readPdfText: makePdfText() });
    const attachments = [aPdf('Patient with chest pain and coughing blood.')];
    const { diagnosis, triage } = await reasoner.diagnose({ attachments, language: 'en' }, signal);
    expect(triage.triage_justification).toContain('coughing blood');
    expect(diagnosis.diseases.map(({ icd10_code }) => icd10_code)).toContain('I26.99');
  });

  it('answers images alone with RED, and that it cannot see them', async () => {
    const { diagnosis, triage } = await aReasoner().diagnose({ attachments: [anImage()], language: 'pt' }, signal);
    expect(diagnosis.diseases).toEqual([]);
    expect(triage.triage_level).toBe('RED');
    expect(triage.triage_justification).toContain('não viram: 1 imagem');
  });

  it('answers a history with a scan by the history, and says that it did not read the scan', async () => {
    const reasoner = aReasoner({ readPdfText: makePdfText() });
    const { diagnosis, triage } = await reasoner.diagnose({ ...aHistory, attachments: [aPdf('')] }, signal);
    expect(diagnosis.diseases.length).toBeGreaterThan(0);
    expect(triage.triage_justification).toContain('1 PDF without readable text');
  });

  it('passes an AppError of reading a file on, and hides the message of any other error', async () => {
    const overloaded = new AppError('overloaded', 'the spool is gone');
    const attachments = [aPdf('words')];
    const ask = (failure: Error) =>
      aReasoner({
        readPdfText: async () => {
          throw failure;
        },
      }).diagnose({ ...aHistory, attachments }, signal);
    await expect(ask(overloaded)).rejects.toBe(overloaded);
    await expect(ask(new Error('cough'))).rejects.toMatchObject({ code: 'internal', message: 'Internal server error' });
  });

  it.each([
    [new AppError('shuttingDown', 'stopping'), 'shuttingDown'],
    [new Error('the socket closed'), 'cancelled'],
  ])('stops reading files when the caller goes with %s: %s', async (why, code) => {
    const caller = new AbortController();
    const reasoner = aReasoner({
      readPdfText: (_file, { signal: given }) =>
        new Promise((_resolve, reject) => {
          given.addEventListener('abort', () => reject(given.reason), { once: true });
          caller.abort(why);
        }),
    });
    const asked = reasoner.diagnose({ ...aHistory, attachments: [aPdf('words')] }, caller.signal);
    await expect(asked).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('returns the note of the note writer unchanged', async () => {
    expect(await aReasoner().writeNote(aNoteRequest, signal)).toEqual(aNote(aNoteRequest));
  });
});
