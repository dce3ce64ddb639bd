#!/usr/bin/env node
import { runWithNode } from './node24.mjs'

runWithNode(process.argv.slice(2))
