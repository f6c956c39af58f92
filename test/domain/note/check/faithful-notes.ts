// The notes that say what was said, each with its conversation. They show how often the check marks a right statement.

import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { LANGUAGES, type Language } from '../../../../src/domain/language.ts';
import { checkNote } from '../../../../src/domain/note/check-note.ts';
import type { CheckReport } from '../../../../src/domain/note/check-report.ts';
import { verdictOf } from '../../../../src/domain/note/check-report.ts';
import type { Transcript } from '../../../../src/domain/recording/transcript.ts';
import { readPatients } from '../../../../src/sandbox/patients/read-patients.ts';

export type FaithfulNote = {
  readonly id: string;
  readonly language: Language;
  readonly transcript: Transcript;
  readonly sections: Readonly<Record<string, string>>;
};
type Entry = { readonly id: string; readonly said?: string; readonly note: Readonly<Record<string, string>> };

export type Marks = {
  readonly claims: number;
  /** Each marked statement with its note, section and kind. */
  readonly marked: readonly string[];
  /** The notes that hold a run at the limits of `mappings/base`. */
  readonly held: readonly string[];
};

const FOLDER = new URL('../faithful/', import.meta.url);
/** The limits of `mappings/base/site.yaml`. */
const BASE_LIMITS = { drug: 0, dose: 0, allergy: 0, number: 2, attestation: 0 };

/** Reads the notes of the file for each language, `en.yaml` for the one without a suffix. */
export function readFaithfulNotes(suffix = ''): readonly FaithfulNote[] {
  return LANGUAGES.flatMap((language) =>
    readEntries(`${language}${suffix}.yaml`).map(({ id, said = '', note }) => ({
      id,
      language,
      transcript: transcriptOf(said.trim().split('\n').map(turnOf), language),
      sections: note,
    })),
  );
}

/** The talks of the sandbox with notes as clinicians write them. */
export function readSandboxNotes(): readonly FaithfulNote[] {
  const patients = new Map(readPatients().map((patient) => [patient.id, patient]));
  return readEntries('sandbox.yaml').map(({ id, note }) => {
    const patient = patients.get(id);
    if (patient === undefined) throw new Error(`The sandbox has no visit ${id}`);
    return { id, language: patient.language, transcript: transcriptOf(patient.talk, patient.language), sections: note };
  });
}

function checkFaithful({ transcript, language, sections }: FaithfulNote): CheckReport {
  const written = Object.entries(sections).map(([key, text]) => ({ key, title: key, text: String(text) }));
  return checkNote({
    note: { note: { title: '', sections: written } },
    transcript,
    language,
    maxUnsupported: BASE_LIMITS,
  });
}

export function countMarks(notes: readonly FaithfulNote[]): Marks {
  const reports = notes.map((note) => ({ note, report: checkFaithful(note) }));
  return {
    claims: reports.reduce((sum, { report }) => sum + report.statements.length, 0),
    marked: reports.flatMap(({ note, report }) =>
      report.statements
        .filter((statement) => verdictOf(statement) !== 'supported')
        .map(
          ({ section, kind, from, to }) =>
            `${note.id} ${section} ${kind}: ${String(note.sections[section] ?? '').slice(from, to)}`,
        ),
    ),
    held: reports.flatMap(({ note, report }) =>
      report.exceeded.length === 0 ? [] : [`${note.id}: ${report.exceeded.join(', ')}`],
    ),
  };
}

function readEntries(file: string): readonly Entry[] {
  return parse(readFileSync(new URL(file, FOLDER), 'utf8'));
}

function turnOf(line: string): readonly [speaker: string, text: string] {
  const at = line.indexOf(':');
  return [line.slice(0, at), line.slice(at + 1).trim()];
}

export function transcriptOf(
  turns: readonly (readonly [speaker: string, text: string])[],
  language: Language,
): Transcript {
  const speakers = [...new Set(turns.map(([speaker]) => speaker))];
  return {
    language,
    durationSeconds: 3 * turns.length,
    utterances: turns.map(([speaker, text], index) => ({
      speaker: speakers.indexOf(speaker),
      text,
      startSeconds: 3 * index,
      endSeconds: 3 * index + 2.5,
      confidence: 0.9,
    })),
  };
}
