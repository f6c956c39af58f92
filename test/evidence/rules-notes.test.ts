// The rules write in the words of the talk: no statement of theirs may be doubted.
import { describe, expect, it } from '@jest/globals';
import { checkNote } from '../../src/domain/note/check-note.ts';
import { chooseTemplate, TEMPLATE_NAMES } from '../../src/domain/note/template.ts';
import { openLexicon } from '../../src/evidence/open-lexicon.ts';
import { makeNoteWriter } from '../../src/rules/note-writing/note-writer.ts';
import { readPatients } from '../../src/sandbox/patients/read-patients.ts';
import { transcriptOf } from '../domain/note/check/faithful-notes.ts';
import { SHIPPED_LANGUAGES } from '../rules/knowledge/shipped-languages.ts';

const writeNote = makeNoteWriter(SHIPPED_LANGUAGES);
const lexicon = openLexicon();
const VISITS = readPatients().filter(({ talk }) => talk.length > 0);

describe('The notes of the rules', () => {
  it.each(VISITS.map((visit) => [visit.id, visit] as const))(
    'of %s have no statement that the check doubts, in any template',
    (_, { talk, language }) => {
      const transcript = transcriptOf(talk, language);
      for (const name of TEMPLATE_NAMES) {
        const template = chooseTemplate({ template: name, language });
        const written = writeNote({ transcript, template, language });
        if (!written.isMedical) continue;
        const report = checkNote({ note: written, transcript, language, maxUnsupported: {} }, lexicon);
        const doubted = report.statements.filter(({ verdict }) => verdict !== 'supported');
        expect([name, ...doubted.map(({ kind, verdict, section }) => `${verdict} ${kind} in ${section}`)]).toEqual([
          name,
        ]);
        // Beside them are the lines that say that nothing was said.
        const placed = report.evidence?.filter(({ moments }) => moments.length > 0) ?? [];
        expect(placed.length).toBeGreaterThanOrEqual(written.statements?.length ?? 1);
      }
    },
  );
});
