// The face of the mapping language: other rooms import this file only. It loads mapping files and code tables, reads the YAML that
// people edit with the place of each value, and evaluates the FHIRPath settings of a site.

/** The variables of a document with the note, such as `%note`. */
export { documentVariableNames } from './check/document-shapes.ts';
/** FHIR R4: types, elements and required codes, from compact definitions. */
export { fhirR4 } from './check/fhir-r4.ts';
/** Checks a FHIRPath setting of a site and returns its mistakes. */
export { checkSetting, type SettingMistake, type SettingRule } from './check-setting.ts';
/** Parses `codes/<name>.yaml`; `tableName` returns the table's name in `%codes`. */
export { parseCodeTable, tableName } from './code-tables.ts';
/** A date or time in a zone as a FHIR instant. */
export { instantOf } from './fhirpath/instant.ts';
/** The functions of the language with usage and one line of documentation, for the generated tables. */
export { FUNCTIONS, REFUSED_FUNCTIONS, TYPE_FUNCTIONS } from './fhirpath/known-functions.ts';
/** Loads a mapping file: a mapping that is ready to run, or all problems of the file. */
export { loadMapping } from './load-mapping.ts';
/** Evaluates the FHIRPath settings of a site for one encounter. */
export { makeReadSetting, type ReadSetting, type SettingAnswer, type SettingInput } from './setting-value.ts';
/** Parses a YAML or JSON file that people edit; each value knows its line and column. */
export { parseSource } from './source/parse-source.ts';
export {
  /** Keys that no map of a source file may have. */
  FORBIDDEN_KEYS,
  type ReadSource,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  type SourceScalar,
  /** The plain data of a source node. */
  toPlain,
} from './source/source-tree.ts';
/** Parses `codes/sources.yaml`, the hosts whose links a diagnosis may show. */
export { parseSourceHosts, SOURCES_FILE } from './source-hosts.ts';
/** The known word that is nearest to a misspelled one. */
export { didYouMean, suggest } from './suggest.ts';
