import { is } from './checks.mjs';
export default async function care() { is('x', true); }
