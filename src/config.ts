// The one schema of the environment: names, defaults and a line of documentation each. The README's table and
// .env.example are made of it. Only main.ts and the command line read it; a wrong value stops the start with all problems at once.
import { z } from 'zod';

/** Where it is not there, there are no sites; any other folder that is not there is a mistake. */
export const DEFAULT_MAPPINGS_DIR = 'mappings';

const text = z.string().trim().min(1);
const wholeNumber = z.coerce.number().int();
const url = z.url({ protocol: /^https?$/, error: 'must be an http or https address' });
const seconds = (from: number, to: number) => wholeNumber.min(from).max(to);

/** 32 or more printable characters, so that it can stand in a header and cannot be guessed. */
const operatorKey = z.string().regex(/^[\x21-\x7e]{32,}$/, 'must be 32 or more printable characters without spaces');
const masterKey = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, 'must be 32 bytes in base64, e.g. from: openssl rand -base64 32')
  .transform((value) => new Uint8Array(Buffer.from(value, 'base64')));

export const environmentSchema = z.object({
  PORT: wholeNumber
    .min(0)
    .max(65_535)
    .default(3000)
    .meta({ description: 'Where the engine listens. 0: any free port.' }),
  HOST: text.default('127.0.0.1').meta({ description: 'The address to listen on; 0.0.0.0 for all.' }),
  PUBLIC_URL: url
    .optional()
    .meta({ description: 'The address under which others reach the engine. Default: made of HOST and PORT.' }),
  DATA_DIR: text.default('.data').meta({ description: 'Where the embedded database, keys and temporary files lie.' }),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .meta({
      description: 'A PostgreSQL server to use instead of the embedded one; engines that share it share their work.',
    }),
  AMQP_URL: z
    .url({ protocol: /^amqps?$/, error: 'must be an amqp:// or amqps:// address' })
    .optional()
    .meta({ description: 'The RabbitMQ that events come from and outcomes go to. Default: none.' }),
  MAPPINGS_DIR: text.default(DEFAULT_MAPPINGS_DIR).meta({
    description:
      'The folder of the sites: their settings and what is written to their charts. Read again when it changes.',
  }),
  OPERATOR_KEY: operatorKey.optional().meta({
    description:
      'What opens /ops: 32 or more printable characters. Default: made at first start, kept in DATA_DIR/operator.key.',
  }),
  MASTER_KEY: masterKey.optional().meta({
    description:
      'Encrypts what is stored: 32 bytes in base64, the same for all engines on one database. Default: made at first start, kept in DATA_DIR/master.key.',
  }),
  OPENAI_API_KEY: text.optional().meta({
    description:
      'Lets a model reason: the key of OpenAI or of a compatible service. Without it and OPENAI_BASE_URL the built-in rules do.',
  }),
  OPENAI_BASE_URL: url.optional().meta({
    description:
      'A server that speaks the OpenAI interface (Azure, vLLM, Ollama …). Alone, without a key, it lets its model reason too.',
  }),
  OPENAI_MODEL: text.default('gpt-5.4').meta({ description: 'The model that reasons and writes notes.' }),
  REASONER_FIRST_BYTE_SECONDS: seconds(1, 600)
    .default(30)
    .meta({ description: 'How long the model may take to begin its answer.' }),
  REASONER_IDLE_SECONDS: seconds(1, 600)
    .default(30)
    .meta({ description: 'How long the model may be silent within its answer.' }),
  REASONER_TOTAL_SECONDS: seconds(1, 3600)
    .default(180)
    .meta({ description: 'How long one answer of the model may take in all.' }),
  DEEPGRAM_API_KEY: text.optional().meta({ description: 'Selects speech recognition: the key of Deepgram.' }),
  DEEPGRAM_BASE_URL: url
    .optional()
    .meta({ description: 'A self-hosted Deepgram. Alone, without a key, it selects speech recognition too.' }),
  DEEPGRAM_MODEL: z
    .string()
    .regex(
      /^[\w.-]+$|^(en|es|pt|detect)=[\w.-]+(,(en|es|pt|detect)=[\w.-]+)*$/,
      'must be a model, or a list like en=nova-3-medical,es=nova-3',
    )
    .default('en=nova-3-medical,es=nova-3,pt=nova-3')
    .meta({
      description:
        'The speech model: one for all languages, or one a language; detect for recordings whose language is not known.',
    }),
  SPEECH_BASE_SECONDS: seconds(1, 3600)
    .default(120)
    .meta({ description: 'How long a transcription may take, beside what its size adds (3 s a MiB).' }),
  EHR_SEARCH_LAG_SECONDS: seconds(0, 3600)
    .default(60)
    .meta({ description: 'How long after a write whose answer was lost an EHR’s search may not know of it yet.' }),
  RECONCILE_MINUTES: wholeNumber
    .min(1)
    .max(1440)
    .default(10)
    .meta({ description: 'How often the charts that were written to are compared with the ledger.' }),
  WORKERS: wholeNumber.min(0).max(500).default(8).meta({
    description: 'How many runs this engine works on at once. 0: it takes events, and leaves the runs to others.',
  }),
  MAX_REASONER_CALLS: wholeNumber
    .min(1)
    .max(500)
    .default(20)
    .meta({ description: 'How many calls of runs to the reasoner may be under way at once.' }),
  MAX_SPEECH_CALLS: wholeNumber
    .min(1)
    .max(500)
    .default(10)
    .meta({ description: 'How many recordings of runs may be transcribed at once.' }),
  RETENTION_AUDIO_HOURS: wholeNumber
    .min(0)
    .max(8760)
    .default(24)
    .meta({ description: 'How long a recording that was handed over is kept after its run has ended.' }),
  RETENTION_RESULTS_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(7)
    .meta({ description: 'How long transcript, note and diagnosis of a run are kept after it has ended.' }),
  RETENTION_HELD_DAYS: wholeNumber.min(1).max(3650).default(30).meta({
    description: 'How long a run is held; then it is parked, and transcript, note and diagnosis are deleted.',
  }),
  RETENTION_ASIDE_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(30)
    .meta({ description: 'How long events that were not understood are kept.' }),
  RETENTION_EVENTS_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(90)
    .meta({ description: 'How long an event is remembered, so that one that comes again is known.' }),
  CORS_ORIGINS: z
    .string()
    .transform((value) =>
      value
        .split(',')
        .map((origin) => origin.trim())
        .filter(Boolean),
    )
    .pipe(z.array(z.literal('*').or(url)))
    .default([])
    .meta({
      description: 'Web origins that may call the interface from a browser, with commas between. Default: none.',
    }),
  TRUST_PROXY_HOPS: wholeNumber
    .min(0)
    .max(10)
    .default(0)
    .meta({ description: 'How many reverse proxies stand in front and set X-Forwarded-For.' }),
  MAX_UPLOADS: wholeNumber
    .min(1)
    .max(256)
    .default(8)
    .meta({ description: 'Uploads that are taken in at once; a further one waits up to 30 s.' }),
  MAX_STREAMS: wholeNumber
    .min(1)
    .max(20_000)
    .default(2000)
    .meta({ description: 'Diagnosis streams that may be open at once.' }),
  MAX_STREAMS_PER_ORGANIZATION: wholeNumber
    .min(1)
    .max(20_000)
    .default(200)
    .meta({ description: 'How many of them may be of one organization.' }),
  MIN_FREE_DISK_MIB: wholeNumber
    .min(0)
    .default(512)
    .meta({ description: 'With less free disk than this, uploads are refused.' }),
  SANDBOX: z.enum(['auto', 'on', 'off']).default('auto').meta({
    description:
      'The made-up hospital of the site sandbox, in this process. auto: on where no other site has an EHR. off: its site is skipped.',
  }),
  SANDBOX_PORT: wholeNumber.min(0).max(65_535).default(3001).meta({
    description: 'Where its FHIR server listens; another free port where this one is taken. 0: any free port.',
  }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .meta({ description: 'How much is logged, on stderr.' }),
  LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .meta({ description: 'Form of the log lines. auto: text on a terminal, else JSON.' }),
});

export type Config = z.infer<typeof environmentSchema>;

/** Throws a ConfigError with every problem. An empty value counts as not set. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = environmentSchema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['The environment cannot be used:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
