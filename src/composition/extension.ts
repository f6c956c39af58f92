// The one hook through which something beside the product is added to the engine. The product calls it and does not know what it is.
import type { HttpExtension } from '../inbound/http/http-extension.ts';
import type { LoadedFolders } from '../outbound/files/mapping-folders.ts';
import type { Audit } from '../ports/audit.ts';
import type { Runs } from '../ports/runs.ts';
import type { Sites } from '../ports/sites.ts';
import type { Speech } from '../ports/speech.ts';
import type { RunEngines } from './make-engines.ts';
import type { Charts } from './open-charts.ts';
import type { EventWays } from './open-events.ts';

/** The product's parts that an extension works with once all of them are open. */
export type ExtensionParts = {
  /** The address at which a browser reaches the engine. */
  readonly publicUrl: string;
  /** The address at which this process reaches it. */
  readonly localUrl: string;
  readonly runs: Pick<Runs, 'ofEncounter' | 'list' | 'find' | 'steps'>;
  readonly audit: Pick<Audit<string>, 'append'>;
  readonly sites: Pick<Sites, 'current'>;
  readonly charts: Pick<Charts, 'renewEhr'>;
  readonly events: Pick<EventWays, 'broker'>;
};

export type StartupLines = {
  /** Rows of the table: a name and its text. */
  readonly rows: readonly (readonly [name: string, text: string])[];
  /** What to try next: a title, and arguments of the command line. */
  readonly next?: { readonly title: string; readonly commands: readonly string[] };
};

export type StartOutput = {
  /** Appends to the output of the startup message. */
  readonly write: (text: string) => void;
  /** How the person runs the command line: `npm run cli --`. */
  readonly command: string;
  /** While true, a log on the same terminal shows warnings and errors only. */
  readonly setQuiet: (isQuiet: boolean) => void;
};

export type Extension = {
  /** The site that the extension brings with it. Its patients are made up: see `LoadedSite.isTrial`. */
  readonly site: string;
  /** Transcribes if no speech recognition is configured. */
  readonly speech: Speech;
  /** Called each time the files of the sites were read, before the product uses them. */
  readonly adaptSites: (loaded: LoadedFolders) => Promise<LoadedFolders>;
  /** Resolves once the first files are adapted. Throws an Error for the operator if the extension cannot work. */
  readonly ready: () => Promise<void>;
  /** Called once after `ready`; the runs use the engines that it returns. */
  readonly wrapEngines: (engines: RunEngines) => RunEngines;
  readonly attach: (parts: ExtensionParts) => void;
  /** Call it after `attach`. */
  readonly http: () => HttpExtension;
  readonly startupLines: () => StartupLines;
  /** Called once the startup message is written. */
  readonly afterStart: (output: StartOutput) => void;
};
