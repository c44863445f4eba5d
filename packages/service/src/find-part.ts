// Old name, until every service has moved.
export { findPage as findPart } from './find-page.ts';
