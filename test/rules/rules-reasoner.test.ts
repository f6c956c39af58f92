import { describe, expect, it } from '@jest/globals';
import type { Attachment } from '../../src/domain/diagnosis/attachment.ts';
import { AppError } from '../../src/domain/errors.ts';
import { makePdfText } from '../../src/platform/file-check/pdf-text.ts';
import type { NoteAnswer, NoteRequest } from '../../src/ports/reasoner.ts';
import { makeRulesReasoner, type RulesReasonerParts } from '../../src/rules/rules-reasoner.ts';
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
  return makeRulesReasoner({
    knowledge: LUNGS,
    extractFacts: hearClauses,
    writeNote: aNote,
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

reasonerContract('the built-in reasoner', async () => ({
  reasoner: aReasoner(),
  findNothingMedical: () => undefined,
  close: async () => undefined,
}));

describe('The built-in reasoner', () => {
  it('is named as rules with their version, and by the version of what is known', () => {
    const reasoner = aReasoner();
    expect(reasoner.engine).toMatch(/^builtin:rules@\d+$/);
    expect(reasoner.prompt).toBe(LUNGS.version);
  });

  it('gives the same answer to the same text', async () => {
    expect(await aReasoner().diagnose(aHistory, signal)).toEqual(await aReasoner().diagnose(aHistory, signal));
  });

  it('reads what is written in a PDF', async () => {
    const reasoner = aReasoner({ readPdfText: makePdfText() });
    const attachments = [aPdf('Patient with chest pain and coughing blood.')];
    const { diagnosis, triage } = await reasoner.diagnose({ attachments, language: 'en' }, signal);
    expect(triage.triage_justification).toContain('coughing blood');
    expect(diagnosis.diseases.map(({ icd10_code }) => icd10_code)).toContain('I26.99');
  });

  it('of images alone answers that it cannot see them, and that it is urgent', async () => {
    const { diagnosis, triage } = await aReasoner().diagnose({ attachments: [anImage()], language: 'pt' }, signal);
    expect(diagnosis.diseases).toEqual([]);
    expect(triage.triage_level).toBe('RED');
    expect(triage.triage_justification).toContain('não viram: 1 imagem');
  });

  it('of a scan beside a history answers what the history says, and that it did not see the scan', async () => {
    const reasoner = aReasoner({ readPdfText: makePdfText() });
    const { diagnosis, triage } = await reasoner.diagnose({ ...aHistory, attachments: [aPdf('')] }, signal);
    expect(diagnosis.diseases.length).toBeGreaterThan(0);
    expect(triage.triage_justification).toContain('1 PDF without readable text');
  });

  it('tells our own failure to read a file as it is, and one of strangers without its words', async () => {
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
      readPdfText: (_file, given) =>
        new Promise((_resolve, reject) => {
          given.addEventListener('abort', () => reject(given.reason), { once: true });
          caller.abort(why);
        }),
    });
    const asked = reasoner.diagnose({ ...aHistory, attachments: [aPdf('words')] }, caller.signal);
    await expect(asked).rejects.toMatchObject({ name: 'AppError', code });
  });

  it('passes a note on as it was written', async () => {
    expect(await aReasoner().writeNote(aNoteRequest, signal)).toEqual(aNote(aNoteRequest));
  });
});
