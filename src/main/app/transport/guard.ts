/** What every WebSocket has to put up with, whatever is spoken over it: limits on what comes in, and signs of life. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Log } from '#platform'
import { lingerMs, type Inbound } from './inbound.ts'
import { Rate } from './rate-limit.ts'

/** Messages of one window in ten seconds: far above what a person causes, far below what would starve the others. */
const maxMessages = 5000
const messagesMs = 10_000
/** Pings and pongs that a peer sends in that time: browsers send none of their own accord. */
const maxPings = 100
/** A peer that is asked for a sign of life and gives none until it is asked again is gone. */
const signOfLifeMs = 30_000
/** A peer that does not take its leave within this time is cut off. */
const leaveMs = 2000

export interface Surroundings {
  readonly log: Log
  readonly inbound: Inbound
}

/** @param stream the connection under it, whose bytes are counted */
export function guard(socket: WebSocket, stream: Duplex, { log, inbound }: Surroundings): void {
  const messages = new Rate(maxMessages, messagesMs)
  const pings = new Rate(maxPings, messagesMs)
  let isAlive = true
  const timer = setInterval(() => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    socket.ping()
  }, signOfLifeMs)
  timer.unref()
  const spend = (rate: Rate) => {
    if (!rate.take()) close(socket, 1008, 'too many messages')
  }
  inbound.open(socket, () => close(socket, 1009, 'too much at once'))
  stream.on('data', (chunk: Buffer) => {
    if (inbound.add(socket, chunk.length)) return
    socket.pause()
    setTimeout(() => socket.readyState === socket.OPEN && socket.resume(), lingerMs).unref()
  })
  socket.on('message', () => {
    inbound.reset(socket)
    spend(messages)
  })
  socket.on('ping', () => spend(pings))
  socket.on('pong', () => {
    isAlive = true
    spend(pings)
  })
  // Frames that are none, and frames over the limit: the library has closed the socket by itself, with the reason.
  socket.on('error', (error) => log.warn({ reason: error.message }, 'a connection of the interface was closed'))
  socket.on('close', () => {
    clearInterval(timer)
    inbound.close(socket)
  })
}

/** Takes leave with a reason, and cuts off whoever does not answer that. */
export function close(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== socket.OPEN) return
  socket.close(code, reason)
  // What it still sends is not taken in any more.
  socket.pause()
  const timer = setTimeout(() => socket.terminate(), leaveMs)
  timer.unref()
  socket.once('close', () => clearTimeout(timer))
}
