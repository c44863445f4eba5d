import { readFileSync } from 'node:fs';
import { StartError } from './start-error.ts';

/**
 * Returns the text of a certificate or a key in PEM form, which the parameter `name` of an address names.
 * @throws StartError when it can't be read, or is none
 */
export function readTlsFile(name: string, path: string): string {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new StartError(`The file ${path} of ${name} can't be read. Put it there, or correct ${name}.`, { cause });
  }
  if (!text.includes('-----BEGIN ')) throw new StartError(`The file ${path} of ${name} is not in PEM form.`);
  return text;
}
