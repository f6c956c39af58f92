// The schema of the environment: names, defaults and a line of documentation for each setting. docs/configuration.md and .env.example are
// generated from it. Only main.ts and the command line read it. Invalid settings are reported together, and the engine does not start.
import { z } from 'zod';
import { masterKey, operatorKey, pairs, SAMPLERS, seconds, text, url, wholeNumber } from './config-values.ts';
import { SIGNATURE_ALGORITHMS } from './domain/people/signature-algorithms.ts';
import { isUnencryptedRemote } from './domain/site/plain-address.ts';

/** If this folder does not exist, there are no sites; any other missing folder is an error. */
export const DEFAULT_MAPPINGS_DIR = 'mappings';

export const environmentSchema = z.object({
  PORT: wholeNumber
    .min(0)
    .max(65_535)
    .default(3000)
    .meta({ description: 'The port of the HTTP interface. 0: any free port.' }),
  HOST: text.default('127.0.0.1').meta({ description: 'The address to listen on; 0.0.0.0 for all.' }),
  PUBLIC_URL: url
    .optional()
    .meta({ description: 'The address under which clients and EHRs reach the engine. Default: http://HOST:PORT.' }),
  DATA_DIR: text
    .default('.data')
    .meta({ description: 'The folder of the embedded database, keys and temporary files.' }),
  DATABASE_URL: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be a postgres:// address' })
    .optional()
    .meta({
      description: 'A PostgreSQL server instead of the embedded one. Engines with the same database share their work.',
    }),
  AMQP_URL: z
    .url({ protocol: /^amqps?$/, error: 'must be an amqp:// or amqps:// address' })
    .optional()
    .meta({ description: 'The RabbitMQ server for events and outcome events. Default: none.' }),
  MAPPINGS_DIR: text.default(DEFAULT_MAPPINGS_DIR).meta({
    description: 'The folder of the sites with their settings and mappings. It is reloaded when it changes.',
  }),
  OPERATOR_KEY: operatorKey.optional().meta({
    description:
      'The key of /ops: 32 or more printable characters. Default: made at first start, stored in DATA_DIR/operator.key.',
  }),
  MASTER_KEY: masterKey.optional().meta({
    description:
      'Encrypts stored data: 32 bytes in base64, the same for all engines on one database. Default: made at first start, stored in DATA_DIR/master.key.',
  }),
  MASTER_KEY_NEXT: masterKey.optional().meta({
    description:
      'The key that `keys rotate-master` puts in the place of MASTER_KEY. Afterwards it becomes MASTER_KEY, and this setting is removed.',
  }),
  OIDC_ISSUER: url
    .refine((address) => !isUnencryptedRemote(address), 'must be https, or an address of this machine')
    .refine((address) => !address.includes('/.well-known/'), 'is the issuer itself, without /.well-known/…')
    .optional()
    .meta({
      description:
        'The identity provider by which people sign in (OpenID Connect), exactly as it spells its issuer. Default: none.',
    }),
  OIDC_CLIENT_ID: text.optional().meta({ description: 'The client id of the engine at the identity provider.' }),
  OIDC_CLIENT_SECRET: text.optional().meta({ description: 'The secret of this client, unless it has a private key.' }),
  OIDC_PRIVATE_KEY: text.optional().meta({
    description: 'The private key of this client for private_key_jwt, as PEM or as the path of a PEM file.',
  }),
  OIDC_ALGORITHM: z
    .enum(SIGNATURE_ALGORITHMS, { error: `must be one of ${SIGNATURE_ALGORITHMS.join(', ')}` })
    .default('RS256')
    .meta({
      description: 'The algorithm by which the identity provider signs its ID tokens. Another one is refused.',
    }),
  OIDC_ROLES: text.optional().meta({
    description:
      'The YAML file that says which claims give which role (docs/sign-in.md). Default: only an admin gives roles.',
  }),
  OPENAI_API_KEY: text.optional().meta({
    description:
      'The key of OpenAI or of a compatible service; selects a model as the reasoner. Without it and OPENAI_BASE_URL the built-in rules are used.',
  }),
  OPENAI_BASE_URL: url.optional().meta({
    description:
      'A server with the OpenAI API (Azure, vLLM, Ollama …). It selects a model as the reasoner also without a key.',
  }),
  OPENAI_MODEL: text.default('gpt-5.4').meta({ description: 'The model for diagnoses and notes.' }),
  REASONER_FIRST_BYTE_SECONDS: seconds(1, 600)
    .default(30)
    .meta({ description: 'The maximum time until the first part of a model’s answer.' }),
  REASONER_IDLE_SECONDS: seconds(1, 600)
    .default(30)
    .meta({ description: 'The maximum time between two parts of a model’s answer.' }),
  REASONER_TOTAL_SECONDS: seconds(1, 3600)
    .default(180)
    .meta({ description: 'The maximum time of a model’s whole answer.' }),
  VERIFIER_MODEL: text.optional().meta({
    description:
      'The model of the second check of notes; another one than the reasoner judges better. off: none. Default: OPENAI_MODEL, if a model reasons.',
  }),
  VERIFIER_BASE_URL: url.optional().meta({
    description: 'The server of the second check, with the OpenAI API. Default: that of the reasoner.',
  }),
  VERIFIER_API_KEY: text.optional().meta({
    description: 'The key of the second check. Default: OPENAI_API_KEY, unless VERIFIER_BASE_URL is set.',
  }),
  VERIFIER_SECONDS: seconds(1, 600).default(60).meta({
    description: 'The maximum time of the second check of a note. Then the note goes on by the first check alone.',
  }),
  DEEPGRAM_API_KEY: text.optional().meta({ description: 'The key of Deepgram; selects it as the speech recognition.' }),
  DEEPGRAM_BASE_URL: url
    .optional()
    .meta({ description: 'A self-hosted Deepgram server. It selects Deepgram also without a key.' }),
  DEEPGRAM_MODEL: z
    .string()
    .regex(
      /^[\w.-]+$|^(en|es|pt|detect)=[\w.-]+(,(en|es|pt|detect)=[\w.-]+)*$/,
      'must be a model, or a list like en=nova-3-medical,es=nova-3',
    )
    .default('en=nova-3-medical,es=nova-3,pt=nova-3')
    .meta({
      description:
        'The speech model: one for all languages, or one for each; detect is for recordings in an unknown language.',
    }),
  SPEECH_BASE_SECONDS: seconds(1, 3600)
    .default(120)
    .meta({ description: 'The maximum time of a transcription; 3 s are added for each MiB.' }),
  EHR_SEARCH_LAG_SECONDS: seconds(0, 3600)
    .default(60)
    .meta({ description: 'How long an EHR’s search may miss a write whose answer was lost.' }),
  RECONCILE_MINUTES: wholeNumber
    .min(1)
    .max(1440)
    .default(10)
    .meta({ description: 'The interval at which written charts are compared with the ledger.' }),
  WORKERS: wholeNumber.min(0).max(500).default(8).meta({
    description:
      'How many runs this engine processes at once. 0: it accepts events and leaves the runs to other engines.',
  }),
  MAX_REASONER_CALLS: wholeNumber.min(1).max(500).default(20).meta({
    description: 'How many calls to the reasoner, and for the second check, all runs of this engine may make at once.',
  }),
  MAX_SPEECH_CALLS: wholeNumber
    .min(1)
    .max(500)
    .default(10)
    .meta({ description: 'How many recordings of runs are transcribed at once.' }),
  RETENTION_AUDIO_HOURS: wholeNumber
    .min(0)
    .max(8760)
    .default(24)
    .meta({ description: 'How long an uploaded recording is stored after its run has ended.' }),
  RETENTION_RESULTS_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(7)
    .meta({ description: 'How long transcript, note and diagnosis of a run are stored after it has ended.' }),
  RETENTION_HELD_DAYS: wholeNumber.min(1).max(3650).default(30).meta({
    description: 'How long a run is held. Then it is parked, and its transcript, note and diagnosis are deleted.',
  }),
  RETENTION_ASIDE_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(30)
    .meta({ description: 'How long quarantined events are stored.' }),
  RETENTION_EVENTS_DAYS: wholeNumber
    .min(1)
    .max(3650)
    .default(90)
    .meta({ description: 'How long the key of an event is stored, so that a repeated event is recognised.' }),
  PUBLIC_STATUS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on').meta({
    description:
      'off: the first page, /home.json and /metrics need the operator key or STATUS_TOKEN as a bearer token.',
  }),
  STATUS_TOKEN: operatorKey.optional().meta({
    description:
      'A bearer token that opens only the first page, /home.json and /metrics: 32 or more printable characters. For scrapers, with PUBLIC_STATUS=off.',
  }),
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
      description: 'Web origins that may call the API from a browser, separated by commas. Default: none.',
    }),
  TRUST_PROXY_HOPS: wholeNumber
    .min(0)
    .max(10)
    .default(0)
    .meta({ description: 'The number of reverse proxies in front of the engine that set X-Forwarded-For.' }),
  MAX_UPLOADS: wholeNumber.min(1).max(256).default(8).meta({
    description:
      'How many recordings, and how many forms with files, are received at once. A further one waits up to 30 s, but the first one of an organization does not.',
  }),
  MAX_STREAMS: wholeNumber
    .min(1)
    .max(20_000)
    .default(2000)
    .meta({ description: 'How many diagnosis streams may be open at once.' }),
  MAX_STREAMS_PER_ORGANIZATION: wholeNumber
    .min(1)
    .max(20_000)
    .default(200)
    .meta({ description: 'How many diagnosis streams of one organization may be open at once.' }),
  MIN_FREE_DISK_MIB: wholeNumber
    .min(0)
    .default(512)
    .meta({ description: 'Uploads are refused with less free disk space than this.' }),
  SANDBOX: z.enum(['auto', 'on', 'off']).default('auto').meta({
    description:
      'The made-up hospital of the site sandbox, in this process. auto: on if no other site has an EHR. off: its site is skipped.',
  }),
  SANDBOX_PORT: wholeNumber.min(0).max(65_535).default(3001).meta({
    description:
      'The port of the sandbox’s FHIR server; if it is in use, another free port is taken. 0: any free port.',
  }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .meta({ description: 'How much is logged, on stderr.' }),
  LOG_FORMAT: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .meta({ description: 'Form of the log lines. auto: text on a terminal, else JSON.' }),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// address' })
    .optional()
    .meta({
      description:
        'The mail server for notices to reviewers, with user and password: smtps://…, or smtp://… for STARTTLS. Unencrypted only on this machine. Default: no mail is sent.',
    }),
  MAIL_FROM: z
    .email({ error: 'must be a mail address' })
    .optional()
    .meta({ description: 'The sender of notices; required with SMTP_URL.' }),
  NOTICE_SECRET: z
    .string()
    .regex(/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/, 'must be whsec_ and 24 or more bytes in base64')
    .optional()
    .meta({
      description:
        'Signs notices to the webhooks of sites as Standard Webhooks: whsec_ and 24 or more bytes in base64. Default: no webhook is called.',
    }),
  OTEL_EXPORTER_OTLP_ENDPOINT: url.optional().meta({
    description: 'The address of a collector of OpenTelemetry: spans go to it by OTLP/HTTP (JSON). Default: none.',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional().meta({
    description: 'Headers for the collector: name=value, separated by commas, values percent-encoded.',
  }),
  OTEL_SERVICE_NAME: text
    .default('chartwright')
    .meta({ description: 'The name of this service in spans and in each log line.' }),
  OTEL_RESOURCE_ATTRIBUTES: pairs.optional().meta({
    description: 'Further attributes of this engine in its spans: name=value, separated by commas.',
  }),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS).default('parentbased_always_on').meta({
    description: 'Which traces are exported. With parentbased the sender of a request or an event decides, if it says.',
  }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(1)
    .meta({ description: 'The share of traces for a sampler with traceidratio, from 0 to 1.' }),
});

export type Config = z.infer<typeof environmentSchema>;

/** Throws a ConfigError with all problems. An empty value counts as not set. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const values = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ''),
  );
  const result = environmentSchema.safeParse(values);
  if (!result.success)
    throw new ConfigError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`));
  const problems = [verifierProblem(result.data), providerProblem(result.data), mailProblem(result.data)].filter(
    (one) => one !== undefined,
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return result.data;
}

function mailProblem({ SMTP_URL, MAIL_FROM }: Config): string | undefined {
  return SMTP_URL !== undefined && MAIL_FROM === undefined ? 'MAIL_FROM: must be set, because SMTP_URL is' : undefined;
}

/** With the rules the second check has nothing to take over from the reasoner. */
function verifierProblem(config: Config): string | undefined {
  const { OPENAI_API_KEY, OPENAI_BASE_URL, VERIFIER_API_KEY, VERIFIER_BASE_URL, VERIFIER_MODEL } = config;
  if (VERIFIER_MODEL === 'off' || (OPENAI_API_KEY ?? OPENAI_BASE_URL) !== undefined) return undefined;
  const isPlaceKnown = (VERIFIER_API_KEY ?? VERIFIER_BASE_URL) !== undefined;
  if (VERIFIER_MODEL !== undefined && !isPlaceKnown)
    return 'VERIFIER_MODEL: needs VERIFIER_API_KEY or VERIFIER_BASE_URL, because no model is the reasoner';
  if (VERIFIER_MODEL === undefined && isPlaceKnown)
    return 'VERIFIER_MODEL: must be set, because no model is the reasoner';
  return undefined;
}

/** An identity provider without a proof of the client, or a half of it, would fail only when the first person signs in. */
function providerProblem(config: Config): string | undefined {
  const { OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_PRIVATE_KEY, OIDC_ROLES } = config;
  const others = { OIDC_CLIENT_ID, OIDC_CLIENT_SECRET, OIDC_PRIVATE_KEY, OIDC_ROLES };
  if (OIDC_ISSUER === undefined) {
    const [lonely] = Object.entries(others).find(([, value]) => value !== undefined) ?? [];
    return lonely && `OIDC_ISSUER: must be set, because ${lonely} is`;
  }
  if (OIDC_CLIENT_ID === undefined) return 'OIDC_CLIENT_ID: must be set, because OIDC_ISSUER is';
  const isProven = (OIDC_CLIENT_SECRET === undefined) !== (OIDC_PRIVATE_KEY === undefined);
  return isProven ? undefined : 'OIDC_CLIENT_SECRET: set this or OIDC_PRIVATE_KEY, one of them';
}

export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(['Invalid settings:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}
