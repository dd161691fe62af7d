# docker build -t kwhy . && kubectl describe pod web-0 | docker run -i --rm kwhy
FROM rust:1.90-alpine AS build
# the allocator is written in C; the image has a compiler, but not its headers
# hadolint ignore=DL3018
RUN apk add --no-cache musl-dev
WORKDIR /src
COPY . .
RUN cargo build --locked --profile dist -p kwhy
RUN install -d target/package && cargo run --locked --quiet -p xtask -- licences >target/package/THIRD-PARTY-LICENSES
# /tmp: for `kwhy events`, which sorts on disk what does not fit into memory
RUN mkdir -p /root-of-image/work && mkdir -m 1777 /root-of-image/tmp && cp target/dist/kwhy LICENSE target/package/THIRD-PARTY-LICENSES /root-of-image/

# a static binary and nothing else: no shell, no libc, and a numeric user
FROM scratch
COPY --from=build /root-of-image/ /
USER 65532:65532
WORKDIR /work
ENTRYPOINT ["/kwhy"]
CMD ["-"]
