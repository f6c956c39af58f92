// What the subcommands of `mappings` have in common.
import type { CommandParts } from '../shared/command-parts.ts';

/** The parts that each subcommand receives. */
export type MappingsParts = Pick<CommandParts, 'environment' | 'print' | 'warn' | 'terminal' | 'wantsJson'> & {
  /** The directory as the user typed it, for messages. */
  readonly directory: string;
};

export type PreviewOptions = {
  readonly input: string;
  readonly site?: string;
  readonly document?: string;
  readonly mapping?: string;
  readonly lineage?: boolean;
  readonly validate?: boolean;
  readonly strict: boolean;
};
