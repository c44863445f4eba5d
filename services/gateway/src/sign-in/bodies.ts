import { email, text } from '@billing/contracts/text';
import { z } from 'zod';

/** What is a password at all; how long it must be, better-auth says. */
const password = z.string().min(1).max(1_024);
/** Left out or true: the session outlives the browser. */
const rememberMe = z.boolean().optional();

export const signUpBody = z.object({ name: text(120), email, password, rememberMe });
export const signInBody = z.object({ email, password, rememberMe });
