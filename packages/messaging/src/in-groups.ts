export { openBatcher as inGroups } from './batcher.ts';
